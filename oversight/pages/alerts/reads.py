"""What the alerts' pages read: one function, one query, frozen values out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Now

from engine import states
from engine.models import Alert, Proposal
from oversight.reading import keyset, worklist
from oversight.showing import literal

WEIGHTIEST = worklist.Order(weight="weight", at="raised_at", key="alert_id")
LATEST = keyset.Order(at="resolved_at", key="alert_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """One alert, the run that it is about, and who answers for it.

    `headline` is of the proposal that it is about; `summary` may repeat a target's words.
    `overdue` tells by the database's clock that what was promised has not come in time.
    """

    alert_id: uuid.UUID
    kind: str
    status: str
    summary: str
    times: int
    raised_at: datetime
    run_id: uuid.UUID
    run_status: str
    run_reason: str
    last_seq: int
    agent: str
    effect_id: uuid.UUID | None
    effect_status: str
    headline: str
    proposal_id: uuid.UUID | None
    version: int
    acknowledged_by: str
    acknowledged_at: datetime | None
    cause: str
    next_step: str
    due_at: datetime | None
    overdue: bool
    resolved_by: str
    resolved_at: datetime | None
    resolution: str
    details: Mapping[str, Any]

    @property
    def open(self) -> bool:
        return self.status == "open"

    @property
    def acknowledged(self) -> bool:
        return self.status == "acknowledged"

    @property
    def run_ended(self) -> bool:
        return self.run_status in states.terminal(states.RUN)

    @property
    def in_doubt(self) -> bool:
        """Its effect is unknown: somebody has to rule before anything else."""
        return self.effect_status == "unknown"


def with_status(status: str) -> "QuerySet[Alert]":
    return Alert.objects.filter(status=status)


def work(status: str, cursor: worklist.Cursor) -> worklist.Page[Raised]:
    """Failed verifications first, then what was raised first."""
    weight = Case(
        When(kind="verification_failed", then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    query = _whole(with_status(status)).annotate(weight=weight)
    return worklist.page(query, WEIGHTIEST, cursor, _raised)


def history(cursor: keyset.Cursor) -> keyset.Page[Raised]:
    """What was dealt with, the latest first."""
    return keyset.page(_whole(with_status("resolved")), LATEST, cursor, _raised)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many alerts there are in each state, and how many promises are overdue."""

    open: int
    acknowledged: int
    overdue: int
    resolved: int


def counts() -> Counts:
    late = Q(status="acknowledged", due_at__lte=Now())
    found = Alert.objects.aggregate(
        **{status: Count("pk", filter=Q(status=status)) for status in states.ALERT},
        overdue=Count("pk", filter=late),
    )
    return Counts(**found)


def alert(alert_id: uuid.UUID) -> Raised | None:
    record = _whole(Alert.objects.filter(pk=alert_id)).first()
    return None if record is None else _raised(record)


def _whole(query: Any) -> Any:
    """With its run, its effect, and the proposal that it is about: that of the effect (of a
    rollback, of what it takes back), or the newest of the run."""
    about = Proposal.objects.filter(
        proposal_id=OuterRef("allowed_by"), version=OuterRef("allowed_version")
    )
    newest = Proposal.objects.filter(run_id=OuterRef("run_id")).order_by("-opened_at")
    return (
        query.select_related("run", "effect")
        .annotate(
            now=Now(),
            details_text=Cast("details", TextField()),
            allowed_by=Coalesce(F("effect__proposal_id"), F("effect__compensates__proposal_id")),
            allowed_version=Coalesce(
                F("effect__proposal_version"), F("effect__compensates__proposal_version")
            ),
            about=Coalesce(Subquery(about.values("id")[:1]), Subquery(newest.values("id")[:1])),
        )
        .annotate(**_of_proposal())
    )


def _of_proposal() -> dict[str, Any]:
    found = Proposal.objects.filter(pk=OuterRef("about"))
    names = {"terms": "terms", "about_id": "proposal_id", "about_version": "version"}
    return {name: Subquery(found.values(column)[:1]) for name, column in names.items()}


def _raised(record: Any) -> Raised:
    run, effect = record.run, record.effect
    terms = literal.read(bytes(record.terms)) if record.terms is not None else {}
    return Raised(
        alert_id=record.alert_id,
        kind=record.kind,
        status=record.status,
        summary=record.summary,
        times=record.times,
        raised_at=record.raised_at,
        run_id=record.run_id,
        run_status=run.status,
        run_reason=run.reason_code or "",
        last_seq=run.last_seq,
        agent=run.initiator,
        effect_id=record.effect_id,
        effect_status=effect.status if effect else "",
        headline=terms.get("headline", ""),
        proposal_id=record.about_id,
        version=record.about_version or 1,
        details=literal.read(record.details_text),
        **_answered(record),
    )


def _answered(record: Any) -> dict[str, Any]:
    """Who took it on, until when, and how it ended."""
    late = record.status == "acknowledged" and record.due_at <= record.now
    return {
        "acknowledged_by": record.acknowledged_by or "",
        "acknowledged_at": record.acknowledged_at,
        "cause": record.cause or "",
        "next_step": record.next_step or "",
        "due_at": record.due_at,
        "overdue": late,
        "resolved_by": record.resolved_by or "",
        "resolved_at": record.resolved_at,
        "resolution": record.resolution or "",
    }


def last_raised() -> datetime | None:
    """When an alert was last raised, for an empty list."""
    return Alert.objects.order_by("-raised_at").values_list("raised_at", flat=True).first()
