"""Rehearsals: one name here, one door in `rehearsals.sql`, one commit."""

import uuid

from .doors import call


def keep_rehearsal(actor: str, payload: bytes) -> uuid.UUID:
    """Keep a rehearsal, and note it in the day's log of rehearsals."""
    return uuid.UUID(str(call("keep_rehearsal", actor, payload)))
