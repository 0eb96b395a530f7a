"""What the pages of the checkpoints read: one function, one query, frozen values out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q, QuerySet

from engine.models import Checkpoint, Event, Run, SearchableField
from oversight.pages.checkpoints.conditions import Condition
from oversight.reading import counts, keyset

NEWEST = keyset.Order(at="created_at", key="checkpoint_id")

NEWS = 100
"""So many newcomers are counted."""

FIELDS = (
    "checkpoint_id",
    "run_id",
    "state_version",
    "current_node",
    "status",
    "state_snapshot",
    "last_event_sequence",
    "pending_action",
    "completed_effects",
    "budget_snapshot",
    "created_at",
    "schema_version",
    "checksum",
)
"""Everything that a checkpoint is, in this order."""

JSON_FIELDS = ("state_snapshot", "pending_action", "completed_effects", "budget_snapshot")
"""Those that are JSON, in the order in which they are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One checkpoint in the list."""

    checkpoint_id: uuid.UUID
    run_id: uuid.UUID
    workflow: str
    workflow_version: int
    current_node: str
    status: str
    last_event_sequence: int
    created_at: datetime
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One checkpoint exactly as stored; `record` is its row, for the engine to judge.

    The JSON columns are the text that the checksum is over.
    """

    checkpoint_id: uuid.UUID
    run_id: uuid.UUID
    state_version: int
    current_node: str
    status: str
    state_snapshot: str
    last_event_sequence: int
    pending_action: str
    completed_effects: str
    budget_snapshot: str
    created_at: datetime
    schema_version: int
    checksum: str
    workflow: str
    workflow_version: int
    last_seq: int
    record: Checkpoint

    @property
    def instant(self) -> str:
        """When it was saved, as its checksum has it."""
        return self.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One event, as far as a state that it led to speaks of it."""

    seq: int
    kind: str
    actor: str
    at: datetime


def matching(
    filters: Mapping[str, Any], conditions: tuple[Condition, ...]
) -> "QuerySet[Checkpoint]":
    """The checkpoints that are searched for, in no order yet."""
    wanted = {
        "run_id": filters["run"],
        "run__workflow": filters["workflow"],
        "current_node": filters["node"],
        "status": filters["status"],
        "created_at__gte": filters["since"],
        "created_at__lt": filters["until"],
    }
    query = Checkpoint.objects.filter(**{name: value for name, value in wanted.items() if value})
    for condition in conditions:
        query = query.filter(run_id__in=_runs_with(condition))
    return query


def _runs_with(condition: Condition) -> "QuerySet[SearchableField, Any]":
    """The runs whose field is so, as of their newest checkpoint."""
    return SearchableField.objects.filter(_so(condition), name=condition.field).values("run_id")


_LOOKUPS = {
    "eq": "",
    "lt": "__lt",
    "gt": "__gt",
    "le": "__lte",
    "ge": "__gte",
    "starts": "__startswith",
}


def _so(condition: Condition) -> Q:
    """Numbers are compared as numbers: 10, 10.0 and the text "10" are one."""
    column = "text" if isinstance(condition.value, str) else "number"
    return Q(**{column + _LOOKUPS[condition.comparison]: condition.value})


def checkpoints(query: "QuerySet[Checkpoint]", cursor: keyset.Cursor) -> keyset.Page[Row]:
    """The checkpoints that match, the newest first."""
    return keyset.page(query.select_related("run"), NEWEST, cursor, _row)


def _row(record: Any) -> Row:
    return Row(
        checkpoint_id=record.checkpoint_id,
        run_id=record.run_id,
        workflow=record.run.workflow,
        workflow_version=record.run.workflow_version,
        current_node=record.current_node,
        status=record.status,
        last_event_sequence=record.last_event_sequence,
        created_at=record.created_at,
        checksum=bytes(record.checksum).hex(),
    )


def count(query: "QuerySet[Checkpoint]") -> counts.Count:
    return counts.count(query)


def in_all() -> counts.Count:
    """How many checkpoints there are to search in."""
    return counts.count(Checkpoint.objects.all())


def news(query: "QuerySet[Checkpoint]", seen: keyset.Cursor) -> int:
    """How many that match were saved since the newest one seen, up to `NEWS`."""
    return NEWEST.apply(query, seen).order_by()[:NEWS].count()


def checkpoint(checkpoint_id: uuid.UUID) -> Stored | None:
    record: Any = Checkpoint.objects.filter(pk=checkpoint_id).select_related("run").first()
    if record is None:
        return None
    columns = {name: getattr(record, name) for name in FIELDS}
    columns["checksum"] = bytes(record.checksum).hex()
    return Stored(
        **columns,
        workflow=record.run.workflow,
        workflow_version=record.run.workflow_version,
        last_seq=record.run.last_seq,
        record=record,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The checkpoints of the same run before and after one."""

    earlier: uuid.UUID | None
    later: uuid.UUID | None


def neighbours(run_id: uuid.UUID, seq: int) -> Neighbours:
    """Those around the checkpoint at event `seq`."""
    saved = Checkpoint.objects.filter(run_id=run_id).order_by("last_event_sequence")
    ids = saved.values_list("checkpoint_id", flat=True)
    return Neighbours(
        earlier=ids.filter(last_event_sequence__lt=seq).last(),
        later=ids.filter(last_event_sequence__gt=seq).first(),
    )


def nearest(run_id: uuid.UUID, seq: int) -> Row | None:
    """The checkpoint from which the state after event `seq` is folded."""
    before = Checkpoint.objects.filter(run_id=run_id, last_event_sequence__lte=seq)
    record = before.select_related("run").order_by("last_event_sequence").last()
    return _row(record) if record else None


def event(run_id: uuid.UUID, seq: int) -> Happened | None:
    found = Event.objects.filter(run_id=run_id, seq=seq).first()
    if found is None:
        return None
    return Happened(seq=found.seq, kind=found.kind, actor=found.actor, at=found.at)


def last_seq(run_id: uuid.UUID) -> int | None:
    """The number of a run's last event; nothing where there is no such run."""
    return Run.objects.filter(pk=run_id).values_list("last_seq", flat=True).first()
