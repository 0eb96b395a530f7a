"""Stops: one function here, one door in `stops.sql`. A scope is `everything`, or a kind and a name:
`workflow:refund`, `action:ledger.refund`, `agent:refund-desk`, `run:<id>`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call


def place_stop(
    actor: str, person: int | None, scope: str, reason: str, rollbacks_run: bool
) -> uuid.UUID:
    """Nothing new begins in the scope from this commit on."""
    return call("place_stop", actor, person, scope, reason, rollbacks_run)


def is_run(run: uuid.UUID) -> bool:
    """Whether there is such a run."""
    return call("is_run", run)


def halt_receipt(stop: uuid.UUID) -> Mapping[str, Any] | None:
    """The stop, and what became of every effect that was under way when it was placed."""
    return call("halt_receipt", stop)


def lift_stop(actor: str, person: int | None, scope: str, reason: str) -> uuid.UUID:
    """Things may begin again in that scope."""
    return call("lift_stop", actor, person, scope, reason)
