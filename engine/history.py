"""Any earlier state of a run: the nearest checkpoint and the events after it, verified."""

import uuid
from datetime import UTC, datetime
from typing import Any

from . import checkpointing, eventlog
from .errors import Damaged, NotFound
from .folding import fold
from .models import Checkpoint, Event, Run
from .types import Facts, Position


def position_at(run_id: uuid.UUID, seq: int) -> Position:
    """Where the run stood after event `seq`.

    Raises NotFound for a seq that the log does not have, Damaged when the checkpoint's checksum
    or the chain after it does not match.
    """
    run = Run.objects.filter(run_id=run_id).first()
    saved = _nearest(run_id, seq)
    if run is None or saved is None or not 1 <= seq <= run.last_seq:
        raise NotFound("This run's log has no such event.")
    between = Event.objects.filter(run_id=run_id, seq__gt=saved.last_event_sequence, seq__lte=seq)
    try:
        start = checkpointing.restored(run_id, _case(run, saved))
        position = eventlog.folded(start, [_stored(event) for event in between.order_by("seq")])
    except (LookupError, TypeError, ValueError) as problem:
        raise Damaged(f"What is stored of this run cannot be read: {problem!r}") from problem
    if position.seq != seq:
        raise Damaged(f"Event {position.seq + 1} is missing.")
    return position


def replayed(run_id: uuid.UUID) -> Position:
    """Where the run stands by its log alone, folded from the first event; checkpoints are not
    looked at. Raises NotFound for a run without a log, Damaged when its chain does not hold."""
    events = Event.objects.filter(run_id=run_id).order_by("seq")
    stored = [_stored(event) for event in events]
    if not stored:
        raise NotFound("There is no such run.")
    first = eventlog.verified(run_id, stored[0], 0, eventlog.NOTHING)
    return eventlog.folded(fold(None, first), stored[1:])


def matches_checksum(checkpoint: Checkpoint) -> bool:
    """Re-compute the checksum from what is stored now."""
    facts = _facts(checkpoint, folded_hash="")
    return checkpointing.checksum(checkpoint.run_id, facts) == facts["checksum"]


def _nearest(run_id: uuid.UUID, seq: int) -> Checkpoint | None:
    before = Checkpoint.objects.filter(run_id=run_id, last_event_sequence__lte=seq)
    return before.order_by("-last_event_sequence").first()


def _case(run: Run, checkpoint: Checkpoint) -> Facts:
    """What a worker that claims a run is given, for a run that nobody claims."""
    return {
        "workflow": run.workflow,
        "workflow_version": run.workflow_version,
        "initiator": run.initiator,
        "checkpoint": _facts(checkpoint, folded_hash=_folded_hash(checkpoint)),
    }


def _folded_hash(checkpoint: Checkpoint) -> str:
    seq = checkpoint.last_event_sequence
    event = Event.objects.filter(run_id=checkpoint.run_id, seq=seq).first()
    if event is None:
        raise Damaged(f"Event {seq} is missing.")
    return bytes(event.hash).hex()


def _facts(checkpoint: Checkpoint, *, folded_hash: str) -> dict[str, Any]:
    return {
        "checkpoint_id": checkpoint.checkpoint_id,
        "state_version": checkpoint.state_version,
        "current_node": checkpoint.current_node,
        "status": checkpoint.status,
        "state_snapshot": checkpoint.state_snapshot,
        "last_event_sequence": checkpoint.last_event_sequence,
        "pending_action": checkpoint.pending_action,
        "completed_effects": checkpoint.completed_effects,
        "budget_snapshot": checkpoint.budget_snapshot,
        "created_at": _instant(checkpoint.created_at),
        "schema_version": checkpoint.schema_version,
        "checksum": bytes(checkpoint.checksum).hex(),
        "folded_hash": folded_hash,
    }


def _stored(event: Event) -> Facts:
    if event.payload is None or event.salt is None:
        raise Damaged(f"The payload of event {event.seq} was erased; what followed is not known.")
    return {
        "seq": event.seq,
        "kind": event.kind,
        "actor": event.actor,
        "at": _instant(event.at),
        "payload": bytes(event.payload).decode(),
        "salt": bytes(event.salt).hex(),
        "payload_hash": bytes(event.payload_hash).hex(),
        "hash": bytes(event.hash).hex(),
    }


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
