"""Alerts and evidence: one name here, one door in `alerts.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call, worker_door

Told = Mapping[str, Any]

raise_alert = worker_door("raise_alert")
"""A worker raises an alert about the run it holds."""


def acknowledge_alert(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """A person takes an alert on: the cause, the next step, and until when."""
    return call("acknowledge_alert", run, actor, payload)


def resolve_alert(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """A person says that an acknowledged alert is dealt with, and how."""
    return call("resolve_alert", run, actor, payload)


def keep_evidence(media_type: str, body: bytes) -> str:
    """Keep raw evidence; gives its address, the SHA-256 (hex) of the bytes."""
    return call("keep_evidence", media_type, body)


def evidence_body(sha256: str) -> bytes | None:
    """Raw evidence by its address; None when there is none."""
    return call("evidence_body", sha256)
