"""The stop for everything: one function here, one door in `stops.sql`."""

import uuid

from .doors import call


def place_stop(actor: str, reason: str, rollbacks_run: bool) -> uuid.UUID:
    """Nothing new begins from this commit on."""
    return call("place_stop", actor, reason, rollbacks_run)


def lift_stop(actor: str, reason: str) -> uuid.UUID:
    """Things may begin again."""
    return call("lift_stop", actor, reason)
