"""The stop for everything: one function here, one door in `stops.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call


def place_stop(actor: str, person: int | None, reason: str, rollbacks_run: bool) -> uuid.UUID:
    """Nothing new begins from this commit on."""
    return call("place_stop", actor, person, reason, rollbacks_run)


def halt_receipt(stop: uuid.UUID) -> Mapping[str, Any] | None:
    """The stop, and what became of every effect that was under way when it was placed."""
    return call("halt_receipt", stop)


def lift_stop(actor: str, person: int | None, reason: str) -> uuid.UUID:
    """Things may begin again."""
    return call("lift_stop", actor, person, reason)
