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


def faults(events: list[dict[str, Any]], run: dict[str, Any]) -> list[str]:
    """What does not add up in a run's events, oldest first, and the run's own row."""
    found, prev, before = [], "00" * 32, None
    for number, event in enumerate(events, 1):
        if event["seq"] != number:
            found.append(f"event {event['seq']} stands where {number} should")
        if event["payload"] is not None and payload_hash_of(event) != bytes(event["payload_hash"]):
            found.append(f"payload of {number}")
        if bytes(event["hash"]).hex() != hash_of(event, prev):
            found.append(f"hash of {number}")
        if before is not None and event["at"] < before:
            found.append(f"time of {number}")
        prev, before = bytes(event["hash"]).hex(), event["at"]
    if (run["last_seq"], bytes(run["head"]).hex(), run["last_at"]) != (len(events), prev, before):
        found.append("the run's end")
    return found


def faults_in(database: Database, run_id: uuid.UUID) -> list[str]:
    (run,) = database.rows("SELECT * FROM engine_run WHERE run_id = %s", run_id)
    return faults(database.log(run_id), run)
