"""JSON in exactly one form, and a strict door for JSON from outside.

`frozen` gives RFC 8785 bytes (JSON Canonicalization Scheme) for whatever is shown, approved,
keyed or executed. `packed` is the faster sorted form for records that are hashed as stored.
`parse` refuses what two parsers could read differently.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import rfc8785

from . import references
from .errors import BadInput, Malformed, TooLarge

MAX_BODY = 256 * 1024
MAX_DEPTH = 32
MAX_KEYS = 1_000
MOST_LEVELS = 200
MAX_STRING = 64 * 1024
MAX_SAFE_INTEGER = 2**53 - 1
_TYPES = frozenset({dict, list, str, int, float, bool, type(None)})
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")

Json = Any


def frozen(value: Json) -> bytes:
    """RFC 8785 bytes of `value`. Raises BadInput for what JSON cannot carry exactly."""
    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as problem:
        raise BadInput(str(problem)) from problem


_PACKER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
)


def packed(value: Json) -> bytes:
    """Compact UTF-8 JSON with sorted keys; hashed as stored, never generated anew."""
    return _PACKER.encode(value).encode()


def packed_text(value: Json) -> str:
    return packed(value).decode()


def storable(value: Json) -> Json:
    """`value` with what cannot be stored made visible: what a target says is kept, not refused.

    U+0000 and halves of surrogate pairs become `⟨U+0000⟩`, NaN and infinities their names,
    whatever is not JSON its text. Everything else is the same object.
    """
    return as_stored(value)[0]


def as_stored(value: Json) -> tuple[Json, bytes]:
    """`value` as `storable` gives it, and the same packed."""
    try:
        written = packed(value)
    except (TypeError, ValueError):
        written = b""
    if written and b"\\u0000" not in written:
        return value, written
    visible = _visible_value(value)
    return visible, packed(visible)


def as_said(value: Json) -> Json:
    """What a target says: storable, and never to be taken for a reference of ours."""
    value, text = as_stored(value)
    return _without_likenesses(value) if references.NAMED.search(text) else value


def _without_likenesses(value: Json) -> Json:
    match value:
        case Mapping():
            odd = "$value" if references.looks_like_one(value) else None
            return {
                ("\u27e8$value\u27e9" if key == odd else key): _without_likenesses(item)
                for key, item in value.items()
            }
        case list() | tuple():
            return [_without_likenesses(item) for item in value]
        case _:
            return value


def _visible_value(value: Json) -> Json:
    match value:
        case str():
            return _UNSTORABLE.sub(lambda odd: f"\u27e8U+{ord(odd[0]):04X}\u27e9", value)
        case bool() | int() | None:
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping():
            return {_visible_value(str(key)): _visible_value(item) for key, item in value.items()}
        case list() | tuple():
            return [_visible_value(item) for item in value]
        case _:
            return _visible_value(str(value))


def sha256(*parts: bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def sha256_hex(*parts: bytes) -> str:
    return sha256(*parts).hex()


def digest_of(arguments: bytes, terms: bytes) -> str:
    """The digest a reviewer approves: SHA-256 (hex) over the hashes of its two parts.

    `arguments` are the frozen argument bytes, `terms` the frozen rest of what was shown.
    The database computes the same at the gate, from the bytes it stores.
    """
    return sha256_hex(
        b'{"arguments":"%b","terms":"%b"}'
        % (sha256_hex(arguments).encode(), sha256_hex(terms).encode())
    )


def parse(body: bytes, *, limit: int = MAX_BODY) -> Json:
    """The JSON value in `body`, or a BadInput that names the path.

    Refuses: more than `limit` bytes, bad UTF-8, duplicate keys, NaN and Infinity, integers
    beyond ±(2**53-1), lone surrogates, U+0000, depth over 32, over 1,000 keys, strings over
    64 KiB.
    """
    if len(body) > limit:
        raise TooLarge(f"The body has {len(body)} bytes; the limit is {limit}.")
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=_pairs, parse_constant=_no_constant
        )
    except UnicodeDecodeError as problem:
        raise Malformed(f"The body is not UTF-8 (byte {problem.start}).") from problem
    except json.JSONDecodeError as problem:
        raise Malformed(
            f"The body is not JSON: {problem.msg} (line {problem.lineno}, column {problem.colno})."
        ) from problem
    except ValueError as problem:  # an integer of thousands of digits
        raise BadInput("A number with too many digits.", path="$") from problem
    except RecursionError:
        raise BadInput(f"Nested deeper than {MAX_DEPTH} levels.", path="$") from None
    check(value)
    return value


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found:
            raise Malformed(f"The key {key!r} stands twice in one object.", path=f"$..{key}")
        found[key] = value
    return found


def _no_constant(name: str) -> Json:
    raise Malformed(f"{name} is not JSON.")


def check(value: Json, path: str = "$") -> None:
    """Raise BadInput where `value` cannot pass through Placet unchanged."""
    _check(value, path, 0, [0])


def _check(value: Json, path: str, depth: int, keys: list[int]) -> None:
    if depth > MAX_DEPTH:
        raise BadInput(f"Nested deeper than {MAX_DEPTH} levels.", path=path)
    match value:
        case str():
            _check_text(value, path)
        case bool() | None:
            return
        case int():
            _check_integer(value, path)
        case float():
            _check_float(value, path)
        case Mapping():
            _check_object(value, path, depth, keys)
        case list() | tuple():
            _check_array(value, path, depth, keys)
        case _:
            raise BadInput(f"{type(value).__name__} is not a JSON type.", path=path)


def coming_back(value: Json, path: str = "$") -> bytes:
    """The packed bytes of `value`. Raises BadInput as `must_come_back` does, which is asked only
    where this look, a level at a time, does not suffice."""
    try:
        text = packed(value)
    except (TypeError, ValueError, RecursionError):
        text = b""
    if not text or b"\\u0000" in text or references.NAMED.search(text) or not _is_plain(value):
        must_come_back(value, path)
    return text or packed(value)


def _is_plain(value: Json) -> bool:
    """Made of JSON's own types alone, and not too deep."""
    items, levels = [value], 0
    while items:
        kinds = set(map(type, items))
        if not kinds <= _TYPES or levels > MOST_LEVELS:
            return False
        objects = [item for item in items if type(item) is dict] if dict in kinds else []
        arrays = [item for item in items if type(item) is list] if list in kinds else []
        if not set(map(type, chain.from_iterable(objects))) <= {str}:
            return False
        items = [*chain.from_iterable(map(dict.values, objects)), *chain.from_iterable(arrays)]
        levels += 1
    return True


def must_come_back(value: Json, path: str = "$", level: int = 0) -> None:
    """Raise BadInput where `value` would be read back from the log as something else.

    Unlike `check` it bounds nothing: this is for what an installation's own code keeps.
    """
    if level > MOST_LEVELS:
        raise BadInput("It is nested too deeply, or holds itself.", path=path)
    if type(value) is dict:
        _must_not_look_like_a_reference(value, path)
        for key, item in value.items():
            if type(key) is not str:
                raise BadInput("Keys are strings.", path=path)
            must_come_back(key, path, level + 1)
            must_come_back(item, f"{path}.{key}", level + 1)
    elif type(value) is list:
        for position, item in enumerate(value):
            must_come_back(item, f"{path}[{position}]", level + 1)
    else:
        _must_come_back_alone(value, path)


def _must_come_back_alone(value: Json, path: str) -> None:
    if type(value) is str and not _can_be_stored(value):
        raise BadInput("Contains U+0000 or half of a surrogate pair.", path=_visible(path))
    if type(value) is float:
        _check_float(value, path)
    elif value is not None and type(value) not in (str, bool, int):
        raise BadInput(f"{type(value).__name__} is not a JSON type.", path=path)


def _can_be_stored(text: str) -> bool:
    """Most texts are plain, and then the quick look is enough."""
    return "\x00" not in text if text.isascii() else not _UNSTORABLE.search(text)


def _must_not_look_like_a_reference(value: Json, path: str) -> None:
    if "$value" in value and references.looks_like_one(value):
        raise BadInput("Only Placet itself writes an object with such a `$value`.", path=path)


def _check_array(value: Sequence[Json], path: str, depth: int, keys: list[int]) -> None:
    for position, item in enumerate(value):
        _check(item, f"{path}[{position}]", depth + 1, keys)


def _check_object(value: Mapping[str, Json], path: str, depth: int, keys: list[int]) -> None:
    keys[0] += len(value)
    if keys[0] > MAX_KEYS:
        raise BadInput(f"More than {MAX_KEYS} keys.", path=path)
    _must_not_look_like_a_reference(value, path)
    for key, item in value.items():
        if not isinstance(key, str):
            raise BadInput("Keys are strings.", path=path)
        _check_text(key, path)
        _check(item, f"{path}.{key}", depth + 1, keys)


def _check_text(value: str, path: str) -> None:
    if "\x00" in value:
        raise BadInput("Contains U+0000, which cannot be stored.", path=_visible(path))
    if _SURROGATE.search(value):
        raise BadInput("Contains half of a surrogate pair.", path=_visible(path))
    if len(value.encode()) > MAX_STRING:
        raise BadInput(f"A string over {MAX_STRING} bytes.", path=path)


def _visible(path: str) -> str:
    return path.encode("ascii", "backslashreplace").decode().replace("\x00", "\\u0000")


def _check_integer(value: int, path: str) -> None:
    if abs(value) > MAX_SAFE_INTEGER:
        raise BadInput(
            "An integer beyond ±(2**53-1) loses digits in other programs; send it as a string.",
            path=path,
        )


def _check_float(value: float, path: str) -> None:
    if value != value or value in (float("inf"), float("-inf")):
        raise BadInput("Not a finite number.", path=path)
