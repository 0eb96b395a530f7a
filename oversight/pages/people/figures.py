"""What somebody's own page reads of how they decide: one function, one query, frozen values out."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    Count,
    DurationField,
    Exists,
    ExpressionWrapper,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from engine.models import Decision, Effect, Event
from oversight.reading import took
from oversight.reading.hurry import WORDS_A_MINUTE
from oversight.reading.took import Took

NOT_AS_SAID = ("mismatch", "partial", "unverifiable")
"""What re-reading the target may show where it did not show what was approved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What somebody's decisions came to. `settled` are approvals and rejections of which it is
    known; each of the last four is one way in which it was something else than they had said."""

    decided: int
    approved: int
    rejected: int
    returned: int
    settled: int
    overruled: int
    taken_back: int
    not_verified: int
    rolled_back: int

    @property
    def otherwise(self) -> int:
        return self.overruled + self.taken_back + self.not_verified + self.rolled_back


def came(person_id: int, since: datetime) -> Came:
    """What this person has decided from `since` on, and what it came to."""
    approve, reject = Q(decision="approve"), Q(decision="reject")
    done = approve & Q(proposal__status="approved")
    not_verified = done & Q(verification__in=NOT_AS_SAID)
    taken_back = approve & Q(taken_back=True)
    ended = Q(proposal__status__in=("approved", "rejected"))
    filters = {
        "approved": approve,
        "rejected": reject,
        "returned": Q(decision="return"),
        "settled": (approve | reject) & ended | taken_back,
        "overruled": approve & Q(proposal__status="rejected")
        | reject & Q(proposal__status="approved"),
        "taken_back": taken_back,
        "not_verified": not_verified,
        "rolled_back": done & Q(effect="compensated") & ~Q(verification__in=NOT_AS_SAID),
    }
    counted = {f"n_{name}": Count("pk", filter=each) for name, each in filters.items()}
    found = _with_its_end(person_id, since).aggregate(n_decided=Count("pk"), **counted)
    return Came(**{name.removeprefix("n_"): count for name, count in found.items()})


def _with_its_end(person_id: int, since: datetime) -> "QuerySet[Any]":
    """Each decision beside the effect that came of it, and whether it was taken back: that closes
    the version, at the instant of its event."""
    effect = Effect.objects.filter(
        proposal_id=OuterRef("proposal__proposal_id"),
        proposal_version=OuterRef("proposal__version"),
    )
    taken_back = Event.objects.filter(
        run_id=OuterRef("proposal__run_id"),
        kind="proposal_lapsed",
        actor=f"person:{person_id}",
        at=OuterRef("proposal__closed_at"),
    )
    return Decision.objects.filter(person=person_id, decided_at__gte=since).annotate(
        effect=Subquery(effect.values("status")[:1]),
        verification=Subquery(effect.values("verification")[:1]),
        taken_back=Exists(taken_back),
    )


def times(person_id: int, since: datetime) -> Took:
    """How long they took from `since` on, from when the page was shown, where one was."""
    length = ExpressionWrapper(F("seconds") * Value(timedelta(seconds=1)), DurationField())
    return took.of(_timed(person_id, since).annotate(took=length))


def hurried(person_id: int, since: datetime) -> int:
    """How many of these came sooner than reading what was shown takes."""
    return _timed(person_id, since).filter(seconds__lt=F("words") * 60.0 / WORDS_A_MINUTE).count()


def _timed(person_id: int, since: datetime) -> "QuerySet[Any]":
    return Decision.objects.filter(person=person_id, decided_at__gte=since).annotate(
        seconds=Cast(KT("seen__seconds"), FloatField()), words=Cast(KT("seen__words"), FloatField())
    )


def edits(person_id: int, since: datetime) -> int:
    """How often they have edited instead of deciding."""
    mine = Event.objects.filter(actor=f"person:{person_id}", at__gte=since)
    return mine.filter(kind="proposal_edited").count()
