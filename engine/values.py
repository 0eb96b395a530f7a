"""Large values: read when somebody looks at them, and never another than the one that was kept."""

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import Any

from . import references
from .canonical import packed
from .errors import Damaged
from .references import Kept, is_reference
from .store import values

ROOM = 32 * 1024 * 1024
"""Bytes of JSON that a process remembers of the values it has written or read last."""


class _Remembered:
    """The JSON of values by their names, the least used forgotten first. Safe between threads."""

    def __init__(self, room: int) -> None:
        self._texts: OrderedDict[str, bytes] = OrderedDict()
        self._left, self._lock = room, Lock()

    def get(self, name: str) -> bytes | None:
        with self._lock:
            if name in self._texts:
                self._texts.move_to_end(name)
            return self._texts.get(name)

    def add(self, name: str, text: bytes) -> None:
        with self._lock:
            if name not in self._texts:
                self._texts[name] = text
                self._left -= len(text)
            while self._left < 0:
                self._left += len(self._texts.popitem(last=False)[1])

    def clear(self) -> None:
        with self._lock:
            self._left += sum(map(len, self._texts.values()))
            self._texts.clear()


_remembered = _Remembered(ROOM)


def remember(kept: Kept) -> None:
    _remembered.add(kept.name, kept.text)


def forget() -> None:
    """Read every value anew."""
    _remembered.clear()


def body(name: str) -> bytes | None:
    """The body as it is kept, unverified; None when it is not kept here."""
    return values.value_body(references.digest_in(name))


def text(name: str) -> bytes:
    """The JSON of a value. Raises Damaged when it is not kept, or is not what its name says."""
    known = _remembered.get(name)
    found = known if known is not None else text_as_kept(name)
    if found is None:
        raise Damaged(f"The value {name} is not kept here.")
    _remembered.add(name, found)
    return found


def text_as_kept(name: str) -> bytes | None:
    """The JSON of a value as it is kept now; None when it is not. Raises Damaged when altered."""
    kept = body(name)
    if kept is None:
        return None
    if references.name_of(kept) != name:
        raise Damaged(f"The value {name} was altered.")
    try:
        return references.text_of(kept)
    except ValueError as problem:
        raise Damaged(str(problem)) from problem


def opened(value: Any) -> Any:
    """What a reference names, a new object each time; anything else as it is."""
    return json.loads(text(value["$value"])) if is_reference(value) else value


class Opened(Mapping[str, Any]):
    """A mapping that a node reads: what stands there by reference is read when it is looked at,
    once."""

    def __init__(self, kept: Mapping[str, Any]) -> None:
        self._kept = kept
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            self._read[name] = opened(self._kept[name])
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._kept

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def __repr__(self) -> str:
        return f"Opened({dict(self._kept)!r})"


def read(kept: Mapping[str, Any]) -> Mapping[str, Any]:
    """`kept` as it is, where nothing in it stands by reference."""
    return Opened(kept) if any(map(is_reference, kept.values())) else kept


def whole(value: Any) -> Any:
    """What a node hands on: where a state stands in it, with all that stands there; the rest as it
    is."""
    if isinstance(value, Opened):
        return dict(value)
    if type(value) is dict:
        return {name: whole(one) for name, one in value.items()}
    return [whole(one) for one in value] if type(value) is list else value


def lightened(values: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[Kept, ...]]:
    """`values` with references for the largest where they are too large together, and those."""
    return references.lightened(values, texts(values))


def texts(values: Mapping[str, Any]) -> dict[str, bytes]:
    """The JSON of each value that is not a reference already."""
    return {name: packed(value) for name, value in values.items() if not is_reference(value)}


def lightened_pieces(pieces: Iterable[Any]) -> tuple[list[Any], tuple[Kept, ...]]:
    """The same of a list."""
    light, kept = lightened({str(number): piece for number, piece in enumerate(pieces)})
    return list(light.values()), kept
