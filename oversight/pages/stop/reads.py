"""What the stop's pages read: one function, one query, frozen values out."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

from engine import states
from engine.models import Effect, Event, Proposal, Stop
from oversight.reading import keyset
from oversight.showing import literal

LATEST = keyset.Order(at="placed_at", key="stop_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """One stop. `placed_by`, `asked_by` (that it be lifted) and `lifted_by` are as the log names
    them."""

    stop_id: uuid.UUID
    scope: str
    reason: str
    rollbacks_run: bool
    placed_by: str
    placed_at: datetime
    asked_by: str
    asked_reason: str
    asked_at: datetime | None
    lifted_by: str
    lifted_reason: str
    lifted_at: datetime | None

    @property
    def in_force(self) -> bool:
        return self.lifted_at is None

    @property
    def of_everything(self) -> bool:
        return self.scope == states.EVERYTHING

    @property
    def kind(self) -> str:
        return self.scope.partition(":")[0]

    @property
    def named(self) -> str:
        """The workflow, action, agent or run that it is for."""
        return self.scope.partition(":")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What an effect on a receipt is about, in the words of its proposal, and until when a call
    of it can be under way."""

    headline: str
    target: str
    is_rollback: bool
    call_deadline: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drill:
    """A drill of the stop, and what did not hold in it."""

    by: str
    at: datetime
    passed: bool
    checked: int
    not_so: tuple[str, ...]
    run_id: uuid.UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a stop would hold up now."""

    under_way: int
    approved: int
    open: int


def last_drill() -> Drill | None:
    """The latest drill of the stop, if there ever was one."""
    event = Event.objects.filter(kind="stop_drilled").order_by("-at", "-run_id", "-seq").first()
    if event is None:
        return None
    told = literal.read(bytes(event.payload or b""))
    return Drill(
        by=told["person_name"],
        at=event.at,
        passed=told["result"] == "passed",
        checked=len(told["assertions"]),
        not_so=tuple(one["what"] for one in told["assertions"] if not one["holds"]),
        run_id=uuid.UUID(told["run"]) if told["run"] else None,
    )


def in_force() -> Placed | None:
    """The stop for everything, if it is in force."""
    return standing_for(states.EVERYTHING)


def standing_for(scope: str) -> Placed | None:
    """The stop of that scope, if it is in force."""
    record = Stop.objects.filter(lifted_at=None, scope=scope).first()
    return None if record is None else _placed(record)


def narrower_in_force() -> tuple[Placed, ...]:
    """The stops for less than everything that are in force, the latest first."""
    standing = Stop.objects.filter(lifted_at=None).exclude(scope=states.EVERYTHING)
    return tuple(_placed(record) for record in standing.order_by("-placed_at", "stop_id"))


def stop(stop_id: uuid.UUID) -> Placed | None:
    record = Stop.objects.filter(pk=stop_id).first()
    return None if record is None else _placed(record)


def history(cursor: keyset.Cursor) -> keyset.Page[Placed]:
    """Every stop there was, the latest first."""
    return keyset.page(Stop.objects.all(), LATEST, cursor, _placed)


def _placed(record: Stop) -> Placed:
    return Placed(
        stop_id=record.stop_id,
        scope=record.scope,
        reason=record.reason,
        rollbacks_run=record.rollbacks_run,
        placed_by=record.placed_by,
        placed_at=record.placed_at,
        asked_by=record.lift_asked_by or "",
        asked_reason=record.lift_asked_reason or "",
        asked_at=record.lift_asked_at,
        lifted_by=record.lifted_by or "",
        lifted_reason=record.lifted_reason or "",
        lifted_at=record.lifted_at,
    )


def named(effect_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Named]:
    """What these effects are about; of a rollback, what it takes back."""
    found = Proposal.objects.filter(
        proposal_id=OuterRef("allowed_by"), version=OuterRef("allowed_version")
    )
    query: Any = Effect.objects.filter(pk__in=set(effect_ids)).annotate(
        allowed_by=Coalesce(F("proposal_id"), F("compensates__proposal_id")),
        allowed_version=Coalesce(F("proposal_version"), F("compensates__proposal_version")),
        terms=Subquery(found.values("terms")[:1]),
    )
    return {record.effect_id: _named(record) for record in query}


def _named(record: Any) -> Named:
    terms = literal.read(bytes(record.terms))
    return Named(
        headline=terms["headline"],
        target=terms["target"],
        is_rollback=record.compensates_id is not None,
        call_deadline=record.call_deadline,
    )


def reach() -> Reach:
    """What is under way, approved and not sent, and open."""
    sent = Effect.objects.filter(proposal_id=OuterRef("proposal_id")).filter(
        proposal_version=OuterRef("version")
    )
    waiting = Proposal.objects.annotate(sent=Subquery(sent.values("effect_id")[:1])).aggregate(
        approved=Count("pk", filter=Q(status="approved", sent=None)),
        open=Count("pk", filter=Q(status="open", valid_until__gt=Now())),
    )
    under_way = Effect.objects.filter(status__in=("prepared", "executing")).count()
    return Reach(under_way=under_way, **waiting)


def seconds_to_last_deadline() -> float:
    """By the database's clock, until the last call that is under way has passed its deadline; less
    than nothing when all have, or when none is."""
    calls = Effect.objects.filter(status="executing")
    found = calls.aggregate(left=Max(F("call_deadline") - Now()))
    return found["left"].total_seconds() if found["left"] is not None else 0.0
