"""What waits for a person: proposals, unknown effects, alerts, paused runs, and a stop."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Now
from django.utils import timezone

from engine import states
from engine.models import Alert, Effect, Event, Proposal, Run, Stop
from oversight.reading import worklist
from oversight.showing import literal

MOST_URGENT = 5
"""How many proposals the overview itself lists."""

PRESSING = timedelta(hours=1)
"""From here on the time left is pointed out."""

WEIGHTIEST = worklist.Order(weight="weight", at="valid_until", key="id")

HEAVIEST_FIRST = tuple(reversed(states.RISKS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """How many proposals can be decided now, by risk, and when the first of them expires.

    `reminded` and `escalated` are those among them that nobody decided in good time.
    `overdue` ones can no longer be decided: their time has passed, and no sweep has seen it yet.
    """

    low: int
    medium: int
    high: int
    next_expiry: datetime | None
    reminded: int
    escalated: int
    overdue: int
    overdue_since: datetime | None

    @property
    def all(self) -> int:
        return self.low + self.medium + self.high

    @property
    def by_risk(self) -> tuple[tuple[str, int], ...]:
        """The heaviest risk first; those of which there is none are left out."""
        found = ((risk, int(getattr(self, risk))) for risk in HEAVIEST_FIRST)
        return tuple((risk, count) for risk, count in found if count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One open proposal. `headline`, `target` and `agent` may be anybody's words."""

    proposal_id: uuid.UUID
    version: int
    risk: str
    headline: str
    action: str
    target: str
    agent: str
    opened_at: datetime
    valid_until: datetime

    @property
    def pressing(self) -> bool:
        return self.valid_until - timezone.now() < PRESSING


@dataclass(frozen=True, slots=True, kw_only=True)
class Some:
    """How many of a thing there are, and since when the oldest is there."""

    count: int
    since: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts:
    """Open alerts; and of those that somebody took on, how many should have been over by now."""

    open: int
    since: datetime | None
    overdue: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """Runs that are paused for one reason; `since` is when the longest paused."""

    reason: str
    count: int
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """The stop in force; `placed_by` is as the log names them."""

    scope: str
    reason: str
    placed_by: str
    placed_at: datetime

    @property
    def of_everything(self) -> bool:
        return self.scope == states.EVERYTHING


def _open_now() -> Q:
    return Q(valid_until__gt=Now())


def open_proposals() -> Open:
    late = ~_open_now()
    found = Proposal.objects.filter(status="open").aggregate(
        **{risk: Count("pk", filter=_open_now() & Q(risk=risk)) for risk in states.RISKS},
        next_expiry=Min("valid_until", filter=_open_now()),
        reminded=Count("pk", filter=_open_now() & Q(reminded_at__isnull=False)),
        escalated=Count("pk", filter=_open_now() & Q(escalated_at__isnull=False)),
        overdue=Count("pk", filter=late),
        overdue_since=Min("valid_until", filter=late),
    )
    return Open(**found)


def decidable(risk: str = "") -> "QuerySet[Any]":
    """Every proposal that can still be decided, whoever may; of one risk, or of all."""
    weight = Case(
        *(When(risk=each, then=Value(place)) for place, each in enumerate(HEAVIEST_FIRST)),
        output_field=IntegerField(),
    )
    query: QuerySet[Any] = Proposal.objects.filter(_open_now(), status="open")
    query = query.annotate(weight=weight)
    return query.filter(risk=risk) if risk else query


def most_urgent() -> tuple[Waiting, ...]:
    """The heaviest risk first, then the least time left."""
    query = decidable().order_by("weight", "valid_until", "id")[:MOST_URGENT]
    return tuple(_waiting(record) for record in query)


def waiting(risk: str, cursor: worklist.Cursor) -> worklist.Page[Waiting]:
    """A page of them, in the same order."""
    return worklist.page(decidable(risk), WEIGHTIEST, cursor, _waiting)


def _waiting(record: Any) -> Waiting:
    terms = literal.read(bytes(record.terms))
    return Waiting(
        proposal_id=record.proposal_id,
        version=record.version,
        risk=record.risk,
        headline=terms["headline"],
        action=terms["action"],
        target=terms["target"],
        agent=record.agent.removeprefix("agent:"),
        opened_at=record.opened_at,
        valid_until=record.valid_until,
    )


def unknown_effects() -> Some:
    found = Effect.objects.filter(status="unknown").aggregate(
        count=Count("pk"), since=Min("first_sent_at")
    )
    return Some(**found)


def alerts() -> Alerts:
    is_open, late = Q(status="open"), Q(status="acknowledged", due_at__lte=Now())
    found = Alert.objects.filter(is_open | Q(status="acknowledged")).aggregate(
        open=Count("pk", filter=is_open),
        since=Min("raised_at", filter=is_open),
        overdue=Count("pk", filter=late),
    )
    return Alerts(**found)


def paused_runs() -> tuple[Paused, ...]:
    """By reason, the one with the most runs first."""
    paused_at = Event.objects.filter(run_id=OuterRef("pk"), kind="run_paused").order_by("-seq")
    query = Run.objects.filter(status="paused").annotate(at=Subquery(paused_at.values("at")[:1]))
    rows = query.values("reason_code").annotate(count=Count("pk"), since=Min("at"))
    return tuple(
        Paused(reason=row["reason_code"] or "", count=row["count"], since=row["since"])
        for row in rows.order_by(F("count").desc(), "reason_code")
    )


def stop_in_force() -> Placed | None:
    """The stop that is in force, the widest one first."""
    standing = Stop.objects.filter(lifted_at=None)
    record = standing.filter(scope=states.EVERYTHING).first() or standing.first()
    if record is None:
        return None
    return Placed(
        scope=record.scope,
        reason=record.reason,
        placed_by=record.placed_by,
        placed_at=record.placed_at,
    )
