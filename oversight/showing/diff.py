"""The typed difference of two values, row by row.

Groups and lists are opened into paths (`to.iban`, `lines[0].amount`), so that every row holds one
plain value on each side, and the text "100" is told apart from the number 100.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import SequenceMatcher

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from oversight.showing.literal import Number, scalar
from oversight.showing.text import inside

Piece = tuple[str, bool]

MOST_LINES = 400
"""Of more lines, both together, only what they begin and end with is compared: whoever wrote them
may have made them up so that comparing takes long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One value as shown: its kind in words, and its text in pieces, each with whether it differs
    from the other side."""

    kind: str | Promise
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(text for text, _differs in self.pieces)

    @property
    def differs(self) -> str:
        """What differs, without what both sides share."""
        return "".join(text for text, differs in self.pieces if differs)

    @property
    def parts(self) -> tuple[tuple[SafeString, bool], ...]:
        """The pieces, with deceptive characters written out."""
        return tuple((inside(text), differs) for text, differs in self.pieces if text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One path. `change` is added, removed, changed or same; a side that is not there is None."""

    path: str
    change: str
    before: Side | None
    after: Side | None
    kind_changed: bool = False

    @property
    def word(self) -> str | Promise:
        return WORDS[self.change][0]

    @property
    def glyph(self) -> str:
        return WORDS[self.change][1]


WORDS: Mapping[str, tuple[str | Promise, str]] = {
    "added": (_("added"), "plus"),
    "removed": (_("removed"), "minus"),
    "changed": (_("changed"), "changed"),
    "same": (_("unchanged"), "same"),
}


def rows(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[Row, ...]:
    """Every path of either value, in the order of `after`, then what is gone.

    Raises TypeError for a float: numbers come as int, Decimal or `literal.Number`.
    """
    old, new = dict(_opened(before, "")), dict(_opened(after, ""))
    paths = [*new, *(path for path in old if path not in new)]
    return tuple(_row(path, old.get(path), new.get(path)) for path in paths)


def changed(found: tuple[Row, ...]) -> tuple[Row, ...]:
    """Only the rows where something differs."""
    return tuple(row for row in found if row.change != "same")


_Shown = tuple[str | Promise, str]


def _opened(value: object, path: str) -> Iterator[tuple[str, _Shown]]:
    if isinstance(value, Mapping) and (value or not path):
        for key, inner in value.items():
            yield from _opened(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple) and value:
        for place, inner in enumerate(value):
            yield from _opened(inner, f"{path}[{place}]")
    else:
        yield path, _plain(value)


def _plain(value: object) -> _Shown:
    if isinstance(value, bool):
        return _("truth"), _yes(value)
    if value is None:
        return _("nothing"), "null"
    if isinstance(value, Number | int | float):
        return _("number"), scalar(value)
    if isinstance(value, Decimal):
        return _("number"), str(value)
    return _words(value)


def _words(value: object) -> _Shown:
    if isinstance(value, Mapping):
        return _("empty group"), "{}"
    if isinstance(value, list | tuple):
        return _("empty list"), "[]"
    return _("text"), str(value)


def _yes(value: bool) -> str:
    return str(_("yes") if value else _("no"))


def _row(path: str, old: _Shown | None, new: _Shown | None) -> Row:
    if old is None or new is None:
        change = "added" if old is None else "removed"
        return Row(path=path, change=change, before=_whole(old), after=_whole(new))
    if old == new:
        return Row(path=path, change="same", before=_whole(old), after=_whole(new))
    before, after = _apart(old, new)
    kinds = old[0] != new[0]
    return Row(path=path, change="changed", before=before, after=after, kind_changed=kinds)


def _whole(side: _Shown | None) -> Side | None:
    return side and Side(kind=side[0], pieces=((side[1], False),))


def _apart(old: _Shown, new: _Shown) -> tuple[Side, Side]:
    lines = old[1].splitlines(keepends=True), new[1].splitlines(keepends=True)
    if min(map(len, lines)) > 1 and sum(map(len, lines)) <= MOST_LINES:
        return _by_line(old, new, *lines)
    return _by_character(old, new)


def _by_line(old: _Shown, new: _Shown, before: list[str], after: list[str]) -> tuple[Side, Side]:
    """Whole lines that one side has and the other has not; what is shared stays unmarked."""
    left, right = list[Piece](), list[Piece]()
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    for what, from_old, to_old, from_new, to_new in matcher.get_opcodes():
        left.append(("".join(before[from_old:to_old]), what != "equal"))
        right.append(("".join(after[from_new:to_new]), what != "equal"))
    return Side(kind=old[0], pieces=tuple(left)), Side(kind=new[0], pieces=tuple(right))


def _by_character(old: _Shown, new: _Shown) -> tuple[Side, Side]:
    head = _head(old[1], new[1])
    tail = _tail(old[1][head:], new[1][head:])
    if 2 * (head + tail) < max(len(old[1]), len(new[1])):
        head = tail = 0  # so little is shared that marking the rest would only confuse
    return _split(old, head, tail), _split(new, head, tail)


def _split(side: _Shown, head: int, tail: int) -> Side:
    kind, text = side
    cut = len(text) - tail
    return Side(
        kind=kind, pieces=((text[:head], False), (text[head:cut], True), (text[cut:], False))
    )


def _head(one: str, other: str) -> int:
    """How many characters both begin with, never parting a letter from the marks after it."""
    length = _common(one, other)
    while length and (_is_mark(one[length : length + 1]) or _is_mark(other[length : length + 1])):
        length -= 1
    return length


def _tail(one: str, other: str) -> int:
    """How many characters both end with, never beginning with the marks of a letter."""
    length = _common(one[::-1], other[::-1])
    while length and _is_mark(one[-length]):
        length -= 1
    return length


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _is_mark(character: str) -> bool:
    return bool(character and unicodedata.combining(character))
