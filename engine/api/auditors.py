"""What auditors ask: is the log as written, what was the state then, give me what I can verify."""

import uuid
from typing import IO

from engine import auditing, exports, history, values
from engine.auditing import Report
from engine.canonical import packed
from engine.errors import NotFound
from engine.exports import Exported
from engine.models import Checkpoint
from engine.searching import EventQuery
from engine.store import trail
from engine.types import Position

from .who import Reviewer

_TOLD = 20
"""How many faults the event names; their number is always exact."""


def verify_log(run_id: uuid.UUID | None = None, *, auditor: Reviewer) -> Report:
    """Re-compute the chain of one run, or of all; that it was done is an event of the day.

    Raises NotPermitted for a person who is no auditor, operator or administrator.
    """
    trail.must_audit(auditor.person_id)
    report = auditing.run_once(run_id)
    facts = {
        "run": str(run_id) if run_id else None,
        "events": report.events,
        "runs": report.runs,
        "faults": len(report.faults),
        "intact": report.intact,
        "found": [
            {"run": str(fault.run_id), "seq": fault.seq, "what": fault.what}
            for fault in report.faults[:_TOLD]
        ],
    }
    trail.note("access", "log_verified", auditor.actor, packed(facts))
    return report


def export_events(query: EventQuery, out: IO[bytes], *, auditor: Reviewer) -> Exported:
    """Write a zip of what the query matches and of all that is needed to verify it.

    Raises NotPermitted for a person who is no auditor, operator or administrator.
    """
    trail.must_audit(auditor.person_id)
    return exports.run_once(query, out, actor=auditor.actor)


def position_at(run_id: uuid.UUID, seq: int) -> Position:
    """Where the run stood after event `seq`. Raises NotFound, Damaged."""
    return history.position_at(run_id, seq)


def matches_checksum(checkpoint: Checkpoint) -> bool:
    """Re-compute a checkpoint's checksum from what is stored now."""
    return history.matches_checksum(checkpoint)


def large_value(name: str) -> bytes:
    """The JSON of a large value by the name in a reference to it. Raises NotFound, Damaged."""
    found = values.text_as_kept(name)
    if found is None:
        raise NotFound("There is no such value here.")
    return found
