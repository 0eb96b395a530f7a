"""The overview, put together from what was read."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from oversight.pages.overview import charts, health
from oversight.pages.overview.health import Line
from oversight.pages.overview.reads import needs
from oversight.pages.overview.reads.needs import Alerts, Open, Paused, Placed, Some, Waiting
from oversight.reading import actors, decidable
from oversight.reading.actors import Actor
from oversight.showing.chart import Chart


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What needs a person now. `mine` are the proposals that the reader may decide."""

    proposals: Open
    mine: int
    urgent: tuple[Waiting, ...]
    unknown: Some
    alerts: Alerts
    paused: tuple[Paused, ...]
    stop: Placed | None
    stopped_by: Actor | None
    health: tuple[Line, ...]

    @property
    def paused_runs(self) -> int:
        return sum(paused.count for paused in self.paused)

    @property
    def paused_since(self) -> datetime | None:
        return min((paused.since for paused in self.paused), default=None)

    @property
    def mark(self) -> str:
        """Changes with anything that is shown, but for the clock."""
        return sha256(repr(self).encode()).hexdigest()[:16]

    @property
    def live_url(self) -> str:
        return reverse("overview:live", query={"seen": self.mark})

    @property
    def in_words(self) -> str:
        """What is said aloud when it changes."""
        words = ngettext(
            "%(proposals)d open proposal, %(unknown)d of unknown outcome, %(alerts)d open alerts.",
            "%(proposals)d open proposals, %(unknown)d of unknown outcome, %(alerts)d open alerts.",
            self.proposals.all,
        )
        return words % {
            "proposals": self.proposals.all,
            "unknown": self.unknown.count,
            "alerts": self.alerts.open,
        }


def needed(person_id: int, now: datetime) -> Needs:
    proposals, stop = needs.open_proposals(), needs.stop_in_force()
    return Needs(
        proposals=proposals,
        mine=decidable.count(person_id),
        urgent=needs.most_urgent(),
        unknown=needs.unknown_effects(),
        alerts=needs.alerts(),
        paused=needs.paused_runs(),
        stop=stop,
        stopped_by=_actor(stop) if stop else None,
        health=health.lines(proposals, now),
    )


def _actor(stop: Placed) -> Actor:
    return actors.actor(stop.placed_by, actors.names([stop.placed_by]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The charts of what happened lately."""

    charts: tuple[Chart, ...]

    @property
    def mark(self) -> str:
        shown = [(chart.summary, [point.count for point in chart.points]) for chart in self.charts]
        return sha256(repr(shown).encode()).hexdigest()[:16]

    @property
    def live_url(self) -> str:
        return reverse("overview:measured", query={"seen": self.mark})


def measured(now: datetime) -> Measured:
    return Measured(charts=charts.all_of_them(now))


def tabs(found: Open, risk: str) -> list[tuple[str, str, bool, int]]:
    """The risks to choose from, with how many open proposals there are of each."""
    words = {"": _("All"), "high": _("High"), "medium": _("Medium"), "low": _("Low")}
    counts = {"": found.all, "high": found.high, "medium": found.medium, "low": found.low}
    return [(url(name), word, name == risk, counts[name]) for name, word in words.items()]


def url(risk: str, **more: str) -> str:
    """The list of open proposals of this risk."""
    query = {"risk": risk, **more} if risk else more
    return reverse("overview:proposals", query=query)
