"""What happened lately, counted by the hour, by the day, and by how long it took."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Aggregate, Count, DurationField, ExpressionWrapper, F, Q
from django.db.models.functions import TruncDay, TruncHour

from engine.models import Alert, Decision, Event

LENGTHS = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=4),
)
"""Up to how long a decision took, for counting; what took longer comes last."""


class Median(Aggregate):
    """The value in the middle: as many took longer as did not."""

    template = "percentile_cont(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = DurationField()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """How many decisions took how long after the question: one count for each of LENGTHS, and a
    last one for those that took longer."""

    counts: tuple[int, ...]
    median: timedelta | None


def committed_by_hour(since: datetime) -> Mapping[datetime, int]:
    """Effects committed in each hour (UTC) from `since` on."""
    query = Event.objects.filter(kind="effect_committed", at__gte=since)
    rows = query.annotate(hour=TruncHour("at", tzinfo=UTC)).values("hour").annotate(n=Count("seq"))
    return {row["hour"]: row["n"] for row in rows}


def failures_by_day(since: datetime) -> Mapping[date, int]:
    """Failed verifications on each day (UTC) from `since` on, as alerts that were raised."""
    query = Alert.objects.filter(kind="verification_failed", raised_at__gte=since)
    rows = query.annotate(day=TruncDay("raised_at", tzinfo=UTC)).values("day")
    return {row["day"].date(): row["n"] for row in rows.annotate(n=Count("pk"))}


def decisions(since: datetime) -> Decisions:
    """What people said from `since` on, each measured from when its version was opened."""
    took = ExpressionWrapper(F("decided_at") - F("proposal__opened_at"), DurationField())
    query = Decision.objects.filter(decided_at__gte=since).annotate(took=took)
    found: dict[str, Any] = query.aggregate(
        median=Median("took"),
        **{f"up_to_{place}": Count("pk", filter=each) for place, each in enumerate(_spans())},
    )
    counts = tuple(found[f"up_to_{place}"] for place in range(len(LENGTHS) + 1))
    return Decisions(counts=counts, median=found["median"])


def _spans() -> tuple[Q, ...]:
    ends = (*LENGTHS, None)
    starts = (None, *LENGTHS)
    return tuple(_between(start, end) for start, end in zip(starts, ends, strict=True))


def _between(start: timedelta | None, end: timedelta | None) -> Q:
    over = Q(took__gte=start) if start else Q()
    return over & Q(took__lt=end) if end else over
