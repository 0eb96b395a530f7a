"""Moments, absolute in the reader's zone with the distance from now beside them.

The reader's zone is Django's current one; a small script then puts the browser's in its place.
UTC stays in the title, and the machine's form in `datetime`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

_as_of: ContextVar[datetime | None] = ContextVar("as_of", default=None)

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def now() -> datetime:
    """From which moment distances are reckoned."""
    return _as_of.get() or timezone.now()


@contextmanager
def as_of(moment: datetime) -> Iterator[None]:
    """Reckon distances from `moment`: so what is drawn can be drawn again."""
    token = _as_of.set(moment)
    try:
        yield
    finally:
        _as_of.reset(token)


def when(moment: datetime, now: datetime) -> SafeString:
    """A `<time>` and its distance from `now`. Raises ValueError for a naive moment."""
    _refuse_naive(moment, now)
    return format_html(
        '<span class="when"><time datetime="{}" title="{}" data-when>{}</time>'
        ' <span class="when__far" data-far="{}">{}</span></span>',
        moment.astimezone(UTC).isoformat(),
        in_utc(moment),
        absolute(moment),
        moment.astimezone(UTC).isoformat(),
        far(moment, now),
    )


def distance(moment: datetime, now: datetime) -> SafeString:
    """A `<time>` that shows only the distance from `now`. Raises ValueError for a naive moment."""
    _refuse_naive(moment, now)
    exact = moment.astimezone(UTC).isoformat()
    return format_html(
        '<time class="when" datetime="{}" title="{}" data-far="{}">{}</time>',
        exact,
        in_utc(moment),
        exact,
        far(moment, now),
    )


def clock(moment: datetime) -> SafeString:
    """A `<time>` that shows hour, minute and second alone. Raises ValueError for a naive moment."""
    _refuse_naive(moment)
    return format_html(
        '<time datetime="{}" title="{}" data-when="clock">{}</time>',
        moment.astimezone(UTC).isoformat(),
        in_utc(moment),
        date_format(timezone.localtime(moment), "H:i:s"),
    )


def absolute(moment: datetime) -> str:
    """Day and minute in the current zone, with the zone's name: 3 Mar 2026, 14:05 CET."""
    local = timezone.localtime(moment)
    return f"{date_format(local, _('j M Y, H:i'))} {local.tzname()}"


def in_utc(moment: datetime) -> str:
    """To the second, in UTC: 2026-03-03 13:05:09 UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def far(moment: datetime, now: datetime) -> str:
    """The distance in the two largest units: in 2 h 5 min, 3 days ago, just now."""
    seconds = int((moment - now).total_seconds())
    if abs(seconds) < _MINUTE:
        return _("just now") if seconds <= 0 else _("in less than a minute")
    words = span(timedelta(seconds=abs(seconds)))
    return (_("in %(span)s") if seconds > 0 else _("%(span)s ago")) % {"span": words}


def span(length: timedelta) -> str:
    """A length of time, rounded down: 40 s, 12 min, 2 h 5 min, 3 days."""
    seconds = int(length.total_seconds())
    if seconds < _MINUTE:
        return _("%(count)d s") % {"count": seconds}
    if seconds < _HOUR:
        return _("%(count)d min") % {"count": seconds // _MINUTE}
    if seconds < 2 * _DAY:
        return _hours(seconds)
    days = seconds // _DAY
    return ngettext("%(count)d day", "%(count)d days", days) % {"count": days}


def _hours(seconds: int) -> str:
    hours, minutes = seconds // _HOUR, seconds % _HOUR // _MINUTE
    if not minutes:
        return _("%(hours)d h") % {"hours": hours}
    return _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes}


def _refuse_naive(*moments: datetime) -> None:
    if any(timezone.is_naive(moment) for moment in moments):
        raise ValueError("a moment without a zone cannot be shown")
