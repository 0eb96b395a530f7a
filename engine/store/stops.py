"""Stops: one function here, one door in `stops.sql`. A scope is `everything`, or a kind and a name:
`workflow:refund`, `action:ledger.refund`, `agent:refund-desk`, `run:<id>`."""

import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from .doors import call, select


def place_stop(
    actor: str, person: int | None, scope: str, reason: str, rollbacks_run: bool
) -> uuid.UUID:
    """Nothing new begins in the scope from this commit on."""
    return call("place_stop", actor, person, scope, reason, rollbacks_run)


def keep_drill(actor: str, payload: bytes) -> None:
    """Note a drill of the stop in the day's log of stops."""
    call("keep_drill", actor, payload)


def is_run(run: uuid.UUID) -> bool:
    """Whether there is such a run."""
    return call("is_run", run)


def halt_receipt(stop: uuid.UUID) -> Mapping[str, Any] | None:
    """The stop, and what became of every effect that was under way when it was placed."""
    return call("halt_receipt", stop)


def proposals_under_a_stop(limit: int) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """(run, version id) of what is undecided, or approved and unsent, in the scope of a stop."""
    return [(run, version) for run, version in select("proposals_under_a_stop", limit)]


def lapse_proposal_if_stopped(run: uuid.UUID, version: uuid.UUID) -> bool:
    """Lapse this version if a stop covers it; False when it does not, or something was sent."""
    return bool(call("lapse_proposal_if_stopped", run, version))


def stop_over(version: uuid.UUID) -> Mapping[str, Any] | None:
    """The stop in force that covers what this proposal version asks for."""
    return call("stop_over", version)


def lift_stop(
    actor: str, person: int | None, scope: str, reason: str, agrees: bool, within: timedelta
) -> bool:
    """Things may begin again in that scope; False when it takes one more person to say so."""
    return bool(call("lift_stop", actor, person, scope, reason, agrees, within))
