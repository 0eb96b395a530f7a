"""References: what stands in events and checkpoints for a JSON value too large to stand there.

A reference is `{"$value": "sha256:<hex>", "bytes": n}`: the SHA-256 of the value's body, and how
many bytes its JSON has. The body is the value as compact JSON with sorted keys, gzipped where that
pays; no JSON begins like a gzip file does, so a body says by itself which of the two it is.
"""

import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

LIMIT = 32 * 1024
"""Bytes of JSON that the values of one event, or of one state, may have before the largest of them
are kept beside it."""

LEAST = 1024
"""A value of fewer bytes is not worth a reference."""

NAMED = re.compile(rb'"\$value":"(sha256:[0-9a-f]{64})"')
_NAME = re.compile("sha256:[0-9a-f]{64}")
_GZIP = b"\x1f\x8b"
_SAMPLE = 4096
_LONGEST_CHARACTER, _PLAIN, _HOLDER = 6, 32, 256
"""Bytes of JSON at most: of a character, of a number, and of an object or array without what it
holds; the last so large that what is nested deeply never counts as light."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A large value: its name, its JSON and its body."""

    name: str
    text: bytes
    body: bytes

    @classmethod
    def of(cls, text: bytes) -> "Kept":
        body = _body(text)
        return cls(name=name_of(body), text=text, body=body)

    @property
    def reference(self) -> dict[str, Any]:
        return {"$value": self.name, "bytes": len(self.text)}


def name_of(body: bytes) -> str:
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def digest_in(name: str) -> bytes:
    """The digest that a name holds."""
    return bytes.fromhex(name.removeprefix("sha256:"))


def looks_like_one(value: object) -> bool:
    """Nobody but Placet may make such an object."""
    name = value.get("$value") if isinstance(value, Mapping) else None
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def is_reference(value: object) -> bool:
    return type(value) is dict and len(value) == 2 and "bytes" in value and looks_like_one(value)


def named_in(text: bytes) -> set[str]:
    """The names of all the values that this JSON refers to."""
    return {name.decode() for name in NAMED.findall(text)}


def surely_light(values: Mapping[str, Any]) -> bool:
    """Whether these cannot come near the limit, however they are written: most cannot, and then
    nothing has to be packed to see it."""
    return _left(values, LIMIT) >= 0


def _left(value: object, left: int) -> int:
    """Of so many bytes, what is left at least after this value. It stops below nothing."""
    kind = type(value)
    if kind is str:
        return left - _LONGEST_CHARACTER * len(value) - _PLAIN  # type: ignore[arg-type]
    if kind is dict:
        inner: Iterable[object] = chain.from_iterable(value.items())  # type: ignore[attr-defined]
    elif kind is list:
        inner = value  # type: ignore[assignment]
    else:
        return left - _PLAIN
    left -= _HOLDER
    for item in inner:
        if left < 0:
            return left
        left = _left(item, left)
    return left


def lightened(
    values: Mapping[str, Any], texts: Mapping[str, bytes]
) -> tuple[Mapping[str, Any], tuple[Kept, ...]]:
    """`values`, the largest replaced by references until the rest is within the limit, and what is
    to be kept. `texts` has the JSON of each value that is not a reference already."""
    over = sum(map(len, texts.values())) - LIMIT
    if over <= 0:
        return values, ()
    lighter, kept = dict(values), []
    for name in sorted(texts, key=lambda name: (-len(texts[name]), name)):
        if over <= 0 or len(texts[name]) < LEAST:
            break
        kept.append(Kept.of(texts[name]))
        lighter[name] = kept[-1].reference
        over -= len(texts[name])
    return lighter, tuple(kept)


def _body(text: bytes) -> bytes:
    """Compressed where a sample shrinks to less than half: then it costs less than to write it."""
    if len(_gzipped(text[:_SAMPLE])) * 2 > min(len(text), _SAMPLE):
        return text
    return _gzipped(text)


def _gzipped(text: bytes) -> bytes:
    return zlib.compress(text, 1, wbits=31)


def is_gzipped(body: bytes) -> bool:
    return body.startswith(_GZIP)


def text_of(body: bytes) -> bytes:
    """The JSON of a body. Raises ValueError where it cannot be unpacked."""
    if not is_gzipped(body):
        return body
    try:
        return zlib.decompress(body, wbits=31)
    except zlib.error as problem:
        raise ValueError(f"a value cannot be unpacked: {problem}") from problem
