"""Events from outside and waits for them: one name here, one door in `inbound.sql`."""

from collections.abc import Mapping, Sequence
from typing import Any

from .doors import call, new, worker_door

Told = Mapping[str, Any]

begin_wait = worker_door("begin_wait")
"""Have the run wait; what has arrived already is taken at once, as the log's next event."""


def deliver_event(
    sender: str, name: str, key: str, external_id: str, payload: str, values: Sequence[bytes] = ()
) -> Told:
    """An event arrives: {"outcome": delivered | kept | duplicate_ignored, "runs": ids}."""
    return call("deliver_event", sender, name, key, external_id, payload, new(values))
