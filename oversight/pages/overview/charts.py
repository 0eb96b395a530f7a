"""The overview's charts: what was committed, how long decisions took, what failed to verify."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from oversight.pages.overview.reads import measured
from oversight.reading import took
from oversight.reading.took import Took
from oversight.showing.chart import Chart, Point

HOURS = 24
DAYS = 14
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


def all_of_them(now: datetime) -> tuple[Chart, ...]:
    """They end with the hour and the day that `now` is in, which are not over yet."""
    now = now.astimezone(UTC)
    hour = now.replace(minute=0, second=0, microsecond=0)
    return (
        _committed(hour - (HOURS - 1) * _HOUR),
        _decided(now - HOURS * _HOUR),
        _failed(hour.replace(hour=0) - (DAYS - 1) * _DAY),
    )


def _committed(first: datetime) -> Chart:
    counts = measured.committed_by_hour(first)
    points = tuple(
        Point(count=counts.get(hour, 0), at=hour, url=_events("effect_committed", hour, _HOUR))
        for hour in _steps(first, _HOUR, HOURS)
    )
    none = _("No effect was committed in 24 hours.")
    summary = _summed(points, none, _in_hours)
    return Chart(
        name="committed",
        title=_("Effects committed, by the hour"),
        summary=summary,
        points=points,
        what=_("Hour from"),
        unit=_("Effects"),
        first=_("24 h ago"),
        last=_("this hour"),
    )


def _decided(since: datetime) -> Chart:
    found = measured.decisions(since)
    return took.chart(
        found,
        name="decided",
        title=_("Time to decide, in 24 hours"),
        summary=_of_decisions(found),
        what=_("From question to decision"),
        url=reverse("inbox:page", query={"show": "decided"}),
    )


def _of_decisions(found: Took) -> str:
    if found.median is None:
        return _("Nobody decided anything in 24 hours.")
    words = ngettext(
        "%(count)d decision, within %(span)s.",
        "%(count)d decisions, half of them within %(span)s.",
        found.measured,
    )
    return words % {"count": found.measured, "span": took.within(found.median)}


def _failed(first: datetime) -> Chart:
    counts = measured.failures_by_day(first)
    points = tuple(
        Point(
            count=counts.get(day.date(), 0),
            words=date_format(day, _("j M Y")),
            url=_events("alert_raised", day, _DAY),
        )
        for day in _steps(first, _DAY, DAYS)
    )
    none = _("No verification failed in 14 days.")
    summary = _summed(points, none, _in_days)
    return Chart(
        name="failed",
        title=_("Failed verifications, by the day"),
        summary=summary,
        points=points,
        what=_("Day (UTC)"),
        unit=_("Alerts"),
        first=_("14 days ago"),
        last=_("today"),
    )


def _summed(points: tuple[Point, ...], none: str, words: Callable[[int], str]) -> str:
    """One sentence for a whole chart: how much in all, and how much at most at a time."""
    total = sum(point.count for point in points)
    most = max(point.count for point in points)
    return words(total) % {"count": total, "most": most} if total else none


def _in_hours(count: int) -> str:
    return ngettext(
        "%(count)d effect was committed in 24 hours.",
        "%(count)d effects were committed in 24 hours, at most %(most)d in one.",
        count,
    )


def _in_days(count: int) -> str:
    return ngettext(
        "%(count)d verification failed in 14 days.",
        "%(count)d verifications failed in 14 days, at most %(most)d in one.",
        count,
    )


def _steps(first: datetime, length: timedelta, count: int) -> Iterator[datetime]:
    return (first + place * length for place in range(count))


def _events(kind: str, start: datetime, length: timedelta) -> str:
    """The events of this kind in this span, as the audit's search finds them."""
    end = start + length
    span = {"since": start.strftime("%Y-%m-%dT%H:%M"), "until": end.strftime("%Y-%m-%dT%H:%M")}
    return reverse("audit:page", query={"kind": kind, **span})
