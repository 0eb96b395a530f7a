"""Which run, and which effect of it, is being worked on: for whoever writes the log."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_noted: ContextVar[Mapping[str, str]] = ContextVar("noted", default=MappingProxyType({}))


@contextmanager
def noted(**names: object) -> Iterator[None]:
    """Say what this thread works on until the block ends; what is None says nothing."""
    said = {name: str(value) for name, value in names.items() if value is not None}
    before = _noted.set({**_noted.get(), **said})
    try:
        yield
    finally:
        _noted.reset(before)


def here() -> Mapping[str, str]:
    """What this thread works on: `run`, `effect`, or nothing."""
    return _noted.get()
