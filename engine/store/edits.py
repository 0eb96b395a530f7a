"""Reviewers edit what is open: one function here, one door in `edits.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call

Told = Mapping[str, Any]


def why_not_edit(person: int, proposal: uuid.UUID) -> str | None:
    """Why this person may not edit this proposal version now; None when they may."""
    return call("why_not_edit", person, proposal)


def edit_proposal(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """Other arguments for an open version, by a reviewer; {"refused": why} without authority."""
    return call("edit_proposal", run, actor, payload)
