"""The chain of a run's log, computed anew from what the documentation says, in plain Python.

Deliberately knows nothing of the engine: an auditor's own program would look like this.
"""

import hashlib
import json
import uuid
from datetime import UTC
from typing import Any

from tests.world import Database


def envelope(event: dict[str, Any], prev: str) -> bytes:
    """Canonical JSON of an event: sorted keys, no spaces, UTF-8."""
    at = event["at"].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    facts = {
        "actor": event["actor"],
        "at": at,
        "kind": event["kind"],
        "payload": bytes(event["payload_hash"]).hex(),
        "prev": prev,
        "run": str(event["run_id"]),
        "seq": event["seq"],
    }
    return json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def hash_of(event: dict[str, Any], prev: str) -> str:
    return hashlib.sha256(b"\x00" + envelope(event, prev)).hexdigest()


def payload_hash_of(event: dict[str, Any]) -> bytes:
    return hashlib.sha256(bytes(event["salt"]) + bytes(event["payload"])).digest()


def faults(
    events: list[dict[str, Any]], run: dict[str, Any], trusted: list[dict[str, Any]] | None = None
) -> list[str]:
    """What does not add up in a run's events, oldest first, and in the run's own row.

    `trusted` are the events before them, where somebody has checked those already.
    """
    before = (trusted or [None])[-1]
    prev = bytes(before["hash"]).hex() if before else "00" * 32
    found = []
    for number, event in enumerate(events, 1 + len(trusted or [])):
        found += [f"{what} of {number}" for what in wrong_with(event, number, prev, before)]
        prev, before = bytes(event["hash"]).hex(), event
    if trusted is None and before is not None:
        end = (before["seq"], prev, before["at"])
        if end != (run["last_seq"], bytes(run["head"]).hex(), run["last_at"]):
            found.append("the run's end")
    return found or ([] if events else ["no events"])


def wrong_with(
    event: dict[str, Any], number: int, prev: str, before: dict[str, Any] | None
) -> list[str]:
    checks = {
        "number": event["seq"] == number,
        "payload": event["payload"] is None
        or payload_hash_of(event) == bytes(event["payload_hash"]),
        "hash": bytes(event["hash"]).hex() == hash_of(event, prev),
        "time": before is None or event["at"] >= before["at"],
    }
    return [what for what, holds in checks.items() if not holds]


def faults_in(database: Database, run_id: uuid.UUID) -> list[str]:
    (run,) = database.rows("SELECT * FROM engine_run WHERE run_id = %s", run_id)
    return faults(database.log(run_id), run)
