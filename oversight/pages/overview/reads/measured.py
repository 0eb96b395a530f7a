"""What happened lately, counted by the hour, by the day, and by how long it took."""

from collections.abc import Mapping
from datetime import UTC, date, datetime

from django.db.models import Count, DurationField, ExpressionWrapper, F
from django.db.models.functions import TruncDay, TruncHour

from engine.models import Alert, Decision, Event
from oversight.reading import took
from oversight.reading.took import Took


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


def decisions(since: datetime) -> Took:
    """What people said from `since` on, each measured from when its version was opened."""
    length = ExpressionWrapper(F("decided_at") - F("proposal__opened_at"), DurationField())
    return took.of(Decision.objects.filter(decided_at__gte=since).annotate(took=length))
