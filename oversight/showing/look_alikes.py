"""Hosts, mail addresses and identifiers that could be read as others.

A name deceives where every character of one of its parts has a plain (ASCII) look-alike, and the
part itself is not plain. Source: Unicode Technical Standard 39 (confusable detection), with its
data as the package confusable-homoglyphs carries it; RFC 3492 for what `xn--` stands for.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache

from confusable_homoglyphs import confusables

_TOKENS = re.compile(r"[^\s\"'`,;<>(){}\[\]«»“”„|]+")
_SEPARATORS = re.compile(r"[.@/:_\-+=&?#%~]+")
_NAMELIKE = re.compile(r"[\d.@_/:]|xn--")
_PUNYCODE = re.compile(r"(?<![\w-])xn--([a-z0-9-]+)", re.IGNORECASE)
_STEERS = frozenset("/.@:")
"""Look-alikes of these move the end of a host."""


def names(text: str) -> Iterator[tuple[str, str]]:
    """Each name in `text` that could be read as another one, and that other one; each once."""
    found: dict[str, str] = {}
    for token in _name_like(text):
        if any(_deceives(label) for label in _SEPARATORS.split(token)):
            found[token] = plain(token)
    yield from found.items()


def disguised(text: str) -> Iterator[tuple[str, str]]:
    """Each label that stands for one in other letters (`xn--…`), and that one."""
    found: dict[str, str] = {}
    for label in _PUNYCODE.finditer(text):
        try:
            found[label[0]] = label[1].encode("ascii").decode("punycode")
        except (UnicodeError, ValueError):
            continue
    yield from found.items()


def plain(name: str) -> str:
    """`name` with every character that has a plain look-alike replaced by that one."""
    return "".join(_plain().get(character, character) for character in name)


def _name_like(text: str) -> Iterator[str]:
    """The words of a text that are names rather than prose: a text of one word is one."""
    tokens = [token.strip(".:!?…") for token in _TOKENS.findall(text)]
    for token in tokens:
        if not token.isascii() and (len(tokens) == 1 or _NAMELIKE.search(token)):
            yield token


def _deceives(label: str) -> bool:
    """A letter alone is a sign, as in the name of a particle."""
    if len(label) == 1:
        return False
    return not label.isascii() and plain(label).isascii() and any(map(_matters, label))


def _matters(character: str) -> bool:
    """A dash or a quotation mark in a number deceives nobody; a letter or a slash does."""
    if character.isascii():
        return False
    kind = unicodedata.category(character)
    return kind[0] == "L" or (kind[0] in "PS" and _plain()[character] in _STEERS)


@cache
def _plain() -> Mapping[str, str]:
    """Of each character that is not ASCII and could be read as one that is: that one."""
    known = confusables.confusables_data
    return {
        character: one
        for character, others in known.items()
        if not character.isascii() and (one := _ascii(other["c"] for other in others))
    }


def _ascii(others: Iterator[str]) -> str:
    return next((other for other in others if len(other) == 1 and other.isascii()), "")
