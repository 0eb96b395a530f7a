"""Premises looked at before a decision: one function here, one door in `premises.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call


def ask_premises(run: uuid.UUID, actor: str, payload: bytes) -> Mapping[str, Any]:
    """Somebody wants the premises of an open version read again; a worker does it."""
    return call("ask_premises", run, actor, payload)
