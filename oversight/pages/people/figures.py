"""What somebody's own page reads of how they decide: one function, one query, frozen values out."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    Aggregate,
    Count,
    Exists,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from engine.models import Decision, Effect, Event
from oversight.reading.hurry import WORDS_A_MINUTE

LENGTHS = (10, 60, 300, 1800, 4 * 3600)
"""Seconds up to which a decision took so long, for counting; what took longer comes last."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """How long decisions took from when the page was shown: one count for each of LENGTHS, and a
    last one. `hurried` came sooner than reading what was shown takes."""

    counts: tuple[int, ...]
    median: timedelta | None
    ninth: timedelta | None
    hurried: int

    @property
    def measured(self) -> int:
        return sum(self.counts)


class Percentile(Aggregate):
    """The value below which that share of all lies, in seconds."""

    template = "percentile_cont(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


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


def took(person_id: int, since: datetime) -> Took:
    """How long they took from `since` on, where a page was shown."""
    mine = Decision.objects.filter(person=person_id, decided_at__gte=since)
    timed = mine.annotate(
        seconds=Cast(KT("seen__seconds"), FloatField()), words=Cast(KT("seen__words"), FloatField())
    )
    starts, ends = (None, *LENGTHS), (*LENGTHS, None)
    spans = [_between(*each) for each in zip(starts, ends, strict=True)]
    found: dict[str, Any] = timed.aggregate(
        median=Percentile("seconds", share=0.5),
        ninth=Percentile("seconds", share=0.9),
        hurried=Count("pk", filter=Q(seconds__lt=F("words") * 60.0 / WORDS_A_MINUTE)),
        **{f"up_to_{place}": Count("pk", filter=each) for place, each in enumerate(spans)},
    )
    return Took(
        counts=tuple(found[f"up_to_{place}"] for place in range(len(spans))),
        median=_length(found["median"]),
        ninth=_length(found["ninth"]),
        hurried=found["hurried"],
    )


def _between(start: int | None, end: int | None) -> Q:
    over = Q(seconds__gte=start or 0)
    return over & Q(seconds__lt=end) if end else over


def _length(seconds: float | None) -> timedelta | None:
    return None if seconds is None else timedelta(seconds=seconds)


def edits(person_id: int, since: datetime) -> int:
    """How often they have edited instead of deciding."""
    mine = Event.objects.filter(actor=f"person:{person_id}", at__gte=since)
    return mine.filter(kind="proposal_edited").count()
