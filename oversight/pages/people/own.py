"""How one decides oneself: nobody has this page of anybody else, for its address names nobody."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from oversight.access import person_id
from oversight.pages.people import figures
from oversight.pages.people.figures import Came
from oversight.reading import took
from oversight.reading.hurry import WORDS_A_MINUTE
from oversight.reading.took import Took
from oversight.showing.chart import Chart

DAYS = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """So many of `total`, and what they are."""

    word: str
    count: int
    total: int

    @property
    def share(self) -> str:
        return percent(self.count, self.total)

    @property
    def bar(self) -> SafeString:
        """As long as its share; the words beside it say the same."""
        return format_html(
            '<svg class="people__bar" viewBox="0 0 {} 1" preserveAspectRatio="none"'
            ' aria-hidden="true" focusable="false"><rect width="{}" height="1"/></svg>',
            max(self.total, 1),
            self.count,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """One's own figures. `said` are parts of all that one gave one's word on; `ways` are those in
    which it turned out otherwise."""

    came: Came
    said: tuple[Part, ...]
    ways: tuple[Part, ...]
    rate: str
    chart: Chart
    hurry: str
    days: int = DAYS

    @property
    def any(self) -> bool:
        return bool(sum(part.count for part in self.said))


@require_safe
def me(request: HttpRequest) -> HttpResponse:
    """Of whoever asks, and of nobody else."""
    return render(request, "people/me.html", {"own": of(person_id(request), timezone.now())})


def of(reader: int, now: datetime) -> Own:
    since = now - timedelta(days=DAYS)
    came, times = figures.came(reader, since), figures.times(reader, since)
    return Own(
        came=came,
        said=_said(came, figures.edits(reader, since)),
        ways=_ways(came),
        rate=percent(came.otherwise, came.settled),
        chart=_chart(times),
        hurry=_hurry(times, figures.hurried(reader, since)),
    )


def _said(came: Came, edited: int) -> tuple[Part, ...]:
    total = came.decided + edited
    counts = (
        (_("Approved"), came.approved),
        (_("Rejected"), came.rejected),
        (_("Returned with a question"), came.returned),
        (_("Edited instead"), edited),
    )
    return tuple(Part(word=word, count=count, total=total) for word, count in counts)


def _ways(came: Came) -> tuple[Part, ...]:
    counts = (
        (_("Others decided the opposite."), came.overruled),
        (_("You took your approval back."), came.taken_back),
        (_("You approved it, and verification did not show what was approved."), came.not_verified),
        (_("You approved it, and it was rolled back."), came.rolled_back),
    )
    return tuple(Part(word=word, count=count, total=came.settled) for word, count in counts)


def percent(count: int, total: int) -> str:
    return _("%(share)d %%") % {"share": round(100 * count / total)} if total else ""


def _chart(times: Took) -> Chart:
    return took.chart(
        times,
        name="own-times",
        title=_("Your time to decide"),
        summary=_in_words(times),
        what=_("From the page to your word"),
    )


def _in_words(times: Took) -> str | Promise:
    if times.median is None or times.ninth is None:
        return _("None was measured: you decided nothing from a page.")
    words = ngettext(
        "%(count)d decision, within %(median)s.",
        "%(count)d decisions: half of them within %(median)s, nine in ten within %(ninth)s.",
        times.measured,
    )
    spans = {"median": took.within(times.median), "ninth": took.within(times.ninth)}
    return words % {"count": times.measured, **spans}


def _hurry(times: Took, hurried: int) -> str:
    words = _(
        "%(hurried)d of %(count)d came sooner than reading what was shown takes, at %(speed)d "
        "words a minute."
    )
    told = {"hurried": hurried, "count": times.measured, "speed": WORDS_A_MINUTE}
    return words % told if times.measured else ""
