"""What operators ask of a whole run: one name here, one door in `control.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call, worker_door

Told = Mapping[str, Any]


def ask_of_run(run: uuid.UUID, kind: str, actor: str, payload: bytes) -> Told:
    """Ask that a run be paused or cancelled; a worker heeds it."""
    return call("ask_of_run", run, kind, actor, payload)


def raise_budget(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """Give a run another budget; one that stands still for want of it goes on."""
    return call("raise_budget", run, actor, payload)


retract_proposal = worker_door("retract_proposal")
"""Take a proposal off the table, since its run is to end."""
