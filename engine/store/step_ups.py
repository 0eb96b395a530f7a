"""Proofs of a second factor: one function here, one door in `step_ups.sql`."""

from collections.abc import Mapping
from typing import Any

from .doors import call


def step_up(actor: str, payload: bytes, session: str, seconds: float) -> Mapping[str, Any]:
    """Keep that somebody has shown a second factor, to approve one digest in one session."""
    return call("step_up", actor, payload, session, seconds)
