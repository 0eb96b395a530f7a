"""Alerts and evidence: one name here, one door in `alerts.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call, select, worker_door

Told = Mapping[str, Any]

raise_alert = worker_door("raise_alert")
"""A worker raises an alert about the run it holds."""


def acknowledge_alert(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """A person takes an alert on: the cause, the next step, and until when."""
    return call("acknowledge_alert", run, actor, payload)


def overdue_alerts(limit: int) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """(run, alert) of acknowledged alerts whose time has passed."""
    return [(row[0], row[1]) for row in select("overdue_alerts", limit)]


def reopen_alert_if_overdue(run: uuid.UUID, alert: uuid.UUID) -> bool:
    """Open an alert again if what was promised has not come in time; False when it need not be."""
    return call("reopen_alert_if_overdue", run, alert)


def resolve_alert(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """A person says that an acknowledged alert is dealt with, and how."""
    return call("resolve_alert", run, actor, payload)


def keep_evidence(media_type: str, body: bytes) -> str:
    """Keep raw evidence; gives its address, the SHA-256 (hex) of the bytes."""
    return call("keep_evidence", media_type, body)


def evidence_body(sha256: str) -> bytes | None:
    """Raw evidence by its address; None when there is none."""
    return call("evidence_body", sha256)
