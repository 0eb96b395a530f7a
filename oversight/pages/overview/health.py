"""How workers and sweeps are doing, in sentences that say no more than the tables know."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from oversight.pages.overview.reads import health
from oversight.pages.overview.reads.health import Runnable
from oversight.pages.overview.reads.needs import Open

PATIENCE = timedelta(minutes=1)
"""A run without a worker, or a proposal past its time, is nobody's fault for so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One sentence, with its sign and tone; `at` is the moment that it speaks of, if any."""

    words: str
    tone: str
    glyph: str
    at: datetime | None = None
    url: str = ""


def lines(proposals: Open, now: datetime) -> tuple[Line, ...]:
    runnable = health.runnable()
    return (
        _workers(runnable, now),
        _last_claim(health.last_claim(now)),
        _sweep(proposals, now),
        _last_expiry(health.last_expiry()),
        _held(runnable),
    )


def _late(since: datetime | None, now: datetime) -> bool:
    return since is not None and now - since > PATIENCE


def _workers(runnable: Runnable, now: datetime) -> Line:
    if not runnable.count:
        return Line(
            words=_("Every run that can go on has a worker."), tone="good", glyph="check-ring"
        )
    words = ngettext(
        "%(count)d run could go on and has no worker, since",
        "%(count)d runs could go on and have no worker, the longest since",
        runnable.count,
    )
    late = _late(runnable.since, now)
    return Line(
        words=words % {"count": runnable.count},
        at=runnable.since,
        tone="bad" if late else "plain",
        glyph="warning" if late else "clock",
        url=reverse("runs:page", query={"show": "under-way"}),
    )


def _last_claim(at: datetime | None) -> Line:
    if at is None:
        words = _("No worker has taken up a run for a day.")
        return Line(words=words, tone="plain", glyph="engine")
    return Line(
        words=_("A worker last took up a run"),
        at=at,
        tone="plain",
        glyph="engine",
        url=reverse("audit:page", query={"kind": "run_claimed"}),
    )


def _sweep(proposals: Open, now: datetime) -> Line:
    if not proposals.overdue:
        words = _("No open proposal is past its time.")
        return Line(words=words, tone="good", glyph="check-ring")
    words = ngettext(
        "%(count)d proposal is past its time and no sweep has expired it, since",
        "%(count)d proposals are past their time and no sweep has expired them, the first since",
        proposals.overdue,
    )
    late = _late(proposals.overdue_since, now)
    return Line(
        words=words % {"count": proposals.overdue},
        at=proposals.overdue_since,
        tone="bad" if late else "plain",
        glyph="warning" if late else "hourglass",
        url=reverse("runs:page", query={"show": "under-way"}),
    )


def _last_expiry(at: datetime | None) -> Line:
    if at is None:
        words = _("No sweep has had a proposal to expire; when it finds none it writes nothing.")
        return Line(words=words, tone="plain", glyph="hourglass")
    return Line(
        words=_("A sweep last expired a proposal"),
        at=at,
        tone="plain",
        glyph="hourglass",
        url=reverse("audit:page", query={"kind": "proposal_expired"}),
    )


def _held(runnable: Runnable) -> Line:
    if not runnable.held and not runnable.due_later:
        words = _("No run is with a worker, and none waits for a time.")
        return Line(words=words, tone="plain", glyph="runs")
    words = ngettext(
        "%(count)d run is with a worker now", "%(count)d runs are with a worker now", runnable.held
    ) % {"count": runnable.held}
    later = ngettext(
        "%(count)d waits for a time.", "%(count)d wait for a time.", runnable.due_later
    ) % {"count": runnable.due_later}
    return Line(
        words=f"{words}; {later}",
        tone="plain",
        glyph="runs",
        url=reverse("runs:page", query={"show": "under-way"}),
    )
