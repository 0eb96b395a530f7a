"""Alerts and evidence: one name here, one door in `alerts.sql`."""

from .doors import call, worker_door

raise_alert = worker_door("raise_alert")
"""A worker raises an alert about the run it holds."""


def keep_evidence(media_type: str, body: bytes) -> str:
    """Keep raw evidence; gives its address, the SHA-256 (hex) of the bytes."""
    return call("keep_evidence", media_type, body)


def evidence_body(sha256: str) -> bytes | None:
    """Raw evidence by its address; None when there is none."""
    return call("evidence_body", sha256)
