"""What operators ask of a whole run: one name here, one door in `control.sql`."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from engine.db import as_json

from .doors import call, worker_door

Told = Mapping[str, Any]


def ask_of_run(run: uuid.UUID, kind: str, actor: str, payload: bytes) -> Told:
    """Ask that a run be paused or cancelled; a worker heeds it."""
    return call("ask_of_run", run, kind, actor, payload)


def raise_budget(run: uuid.UUID, actor: str, payload: bytes, above: Sequence[Told]) -> Told:
    """Give a run another budget, and the runs above it what they need for that; one that stands
    still for want of it goes on."""
    return call("raise_budget", run, actor, payload, as_json(above))


def budgets_above(run: uuid.UUID) -> Sequence[Told]:
    """{"run_id", "budget"} of the run and of those that it is a branch of, the upmost first."""
    return call("budgets_above", run)


retract_proposal = worker_door("retract_proposal")
"""Take a proposal off the table, since its run is to end."""
