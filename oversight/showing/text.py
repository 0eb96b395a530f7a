"""Text that somebody else wrote, shown so that it cannot deceive.

Nothing is stripped and nothing is trusted: text is escaped, isolated from the direction of what
surrounds it, and every character that would be invisible, or would move others about, is written
out as ⟨U+202E⟩. Sources: Unicode Standard Annex 9 (bidirectional algorithm), Unicode Technical
Report 36 (security), DerivedCoreProperties (Default_Ignorable_Code_Point).
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from . import look_alikes

VISIBLE_SPACES = 3
"""So many spaces in a row are shown as they are; a longer run is counted aloud."""

VISIBLE_INDENT = 40
"""So many spaces may begin a line of code before they are counted aloud too."""

VISIBLE_MARKS = 3
"""So many combining marks may sit on one letter before they would reach other lines."""

# Default-ignorable or blank though their category says letter, mark or symbol.
_BLANK_RANGES = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFFC, 0xFFFC),
    (0xE0000, 0xE0FFF),
)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_BRACKET = "\u27e8"  # a written ⟨ must not pass for one of ours
_PIECES = re.compile(r" +|\n|[^ \n]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """Something about a text that a reader should know. `kind` is `hidden`, `look_alike`,
    `disguised` or `mixed_script`."""

    kind: str
    words: str


def revealed(text: object) -> SafeString:
    """`text` as isolated HTML with its deceptive characters written out; newlines are kept."""
    return format_html('<bdi class="said" dir="auto">{}</bdi>', inside(str(text)))


def revealed_code(text: object) -> SafeString:
    """The same for code: from left to right, its indentation kept, each line isolated."""
    lines = (_indented(line) for line in str(text).split("\n"))
    return format_html_join("\n", '<bdi class="said" dir="ltr">{}{}</bdi>', lines)


def hashed(value: str) -> SafeString:
    """A hash or a key in full, on as many lines as it takes."""
    return format_html('<code class="hash">{}</code>', value)


def inside(text: str) -> SafeString:
    """The same without the isolating element, for a caller that isolates several parts as one."""
    return mark_safe("".join(_pieces(text)))  # noqa: S308 - every piece is escaped below


def cautions(text: str) -> tuple[Caution, ...]:
    """What the text hides: characters nobody sees, names that could be read as others, and words
    that mix alphabets."""
    if text.isascii() and "xn--" not in text.lower():
        return tuple(_hidden_caution(text))
    taken = dict(look_alikes.names(text))
    return (
        *_hidden_caution(text),
        *(_look_alike(word, plain) for word, plain in taken.items()),
        *(_disguised(word, name) for word, name in look_alikes.disguised(text)),
        *_script_cautions(text, besides="\n".join(taken)),
    )


def is_hidden(character: str) -> bool:
    """Whether a reader would not see this character, or see others moved by it."""
    if character in " \n":
        return False
    if character == _BRACKET or unicodedata.category(character) in _HIDDEN_CATEGORIES:
        return True
    return any(low <= ord(character) <= high for low, high in _BLANK_RANGES)


def must_be_seen(name: str) -> None:
    """A validator of names that others decide by, of people and groups: what would be invisible,
    move others about or pass for ours has no place in one. Raises ValidationError."""
    for character in name:
        if is_hidden(character) or character == "\n":
            words = _("Leave out %(code)s (%(name)s): nobody would see it.")
            named = {"code": f"U+{ord(character):04X}", "name": _name(character)}
            raise ValidationError(words % named)


def _indented(line: str) -> tuple[str, SafeString]:
    depth = min(len(line) - len(line.lstrip(" ")), VISIBLE_INDENT)
    return line[:depth], inside(line[depth:])


def _pieces(text: str) -> Iterator[str]:
    marks = VISIBLE_MARKS  # a mark at the very start has no letter to sit on
    for piece in _PIECES.findall(text):
        if piece[0] == " ":
            yield _spaces(piece)
            marks = VISIBLE_MARKS
        elif unicodedata.category(piece) in ("Mn", "Me") and not is_hidden(piece):
            marks += 1
            yield piece if marks <= VISIBLE_MARKS else _marked(piece)
        elif is_hidden(piece):
            yield _marked(piece)
            marks = VISIBLE_MARKS
        else:
            yield conditional_escape(piece)
            marks = VISIBLE_MARKS if piece == "\n" else 0


def _spaces(run: str) -> str:
    if len(run) <= VISIBLE_SPACES:
        return run
    words = ngettext("%(count)d space", "%(count)d spaces", len(run)) % {"count": len(run)}
    return format_html(' <span class="said__mark">⟨{}⟩</span> ', words)


def _marked(character: str) -> str:
    code = f"U+{ord(character):04X}"
    return format_html('<span class="said__mark" title="{}">⟨{}⟩</span>', _name(character), code)


def _name(character: str) -> str:
    if unicodedata.category(character) == "Cc":
        return _("control character")
    return unicodedata.name(character, _("unnamed character")).lower()


def _hidden_caution(text: str) -> Iterator[Caution]:
    count = sum(1 for character in text if is_hidden(character))
    if count:
        words = ngettext(
            "Holds %(count)d character that would be invisible; it is written out.",
            "Holds %(count)d characters that would be invisible; they are written out.",
            count,
        )
        yield Caution(kind="hidden", words=words % {"count": count})


def _look_alike(word: str, plain: str) -> Caution:
    words = _("Not what it looks like: %(word)s could be read as %(plain)s.")
    return Caution(kind="look_alike", words=words % {"word": word, "plain": plain})


def _disguised(word: str, name: str) -> Caution:
    words = _("%(word)s stands for a name in other letters: %(name)s.")
    plain = look_alikes.plain(name)
    if plain != name and plain.isascii():
        words = _("%(word)s stands for a name in other letters: %(name)s, to be read as %(plain)s.")
    return Caution(kind="disguised", words=words % {"word": word, "name": name, "plain": plain})


def _script_cautions(text: str, *, besides: str) -> Iterator[Caution]:
    """What is said of the words in `besides` already says more."""
    seen = set(re.findall(r"[^\W\d_]+", besides))
    for word in re.findall(r"[^\W\d_]+", text):
        scripts = _scripts(word)
        if len(scripts) > 1 and word not in seen:
            seen.add(word)
            words = _("Mixes alphabets in one word: %(word)s (%(scripts)s).")
            yield Caution(
                kind="mixed_script",
                words=words % {"word": word, "scripts": ", ".join(sorted(scripts))},
            )


def _scripts(word: str) -> set[str]:
    look_alikes = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
    first = {unicodedata.name(character, "").split(" ")[0] for character in word}
    return {script.title() for script in first if script in look_alikes}
