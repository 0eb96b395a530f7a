"""Facts about the installation: one name here, one door in `trail.sql`."""

from collections.abc import Mapping
from typing import Any

from .doors import call


def note(stream: str, kind: str, actor: str, payload: bytes) -> Mapping[str, Any]:
    """Note a fact in the day's log of a stream."""
    return call("note", stream, kind, actor, payload)


def must_audit(person: int) -> None:
    """Raises NotPermitted unless this person may verify the log and take exports of it away."""
    call("must_audit", person)
