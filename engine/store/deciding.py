"""Decisions: one function here, one door in `deciding.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call

Told = Mapping[str, Any]


def why_not_decide(person: int, proposal: uuid.UUID) -> str | None:
    """Why this person may not decide this proposal version now; None when they may."""
    return call("why_not_decide", person, proposal)


def decide(run: uuid.UUID, actor: str, payload: bytes, session: str = "") -> Told:
    """One reviewer's word on one proposal version; {"refused": why} without authority. A proof of
    a second factor counts if it was given in this session."""
    return call("decide", run, actor, payload, session)


def note_refused_decision(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """Somebody's decision was refused for want of a proof of what they were shown."""
    return call("note_refused_decision", run, actor, payload)


def take_back_approval(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """Somebody takes their own approval back, as long as nothing was sent under it."""
    return call("take_back_approval", run, actor, payload)
