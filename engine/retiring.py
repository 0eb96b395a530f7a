"""Drop schemas of doors that no code uses any more: what a rolling deployment leaves behind.

Every process says at its connections which doors it uses. One look writes down which schemas are in
use; a later one drops what has not been in use for the whole of a grace.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from .store import doors

GRACE = timedelta(days=1)
"""As long as code may be away that comes back: a process that was stopped, a connection pool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What one look made of one schema: `own`, `in use`, `kept` or `dropped`."""

    schema: str
    became: str


def run_once(unused_for: timedelta = GRACE) -> tuple[Looked, ...]:
    """Look at every schema of doors; drop those that were in use at no look since `unused_for`."""
    return tuple(_looked(unused_for))


def _looked(unused_for: timedelta) -> Iterator[Looked]:
    for schema in doors.installed():
        yield Looked(schema=schema, became=_became(schema, unused_for))


def _became(schema: str, unused_for: timedelta) -> str:
    if schema == doors.schema():
        return "own"
    if doors.note_if_in_use(schema):
        return "in use"
    return "dropped" if doors.drop_if_unused(schema, unused_for.total_seconds()) else "kept"
