"""One run's page, put together from what was read."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from oversight.pages.runs import of_waits, reads, sentences, story
from oversight.pages.runs.forms import VIEWS, RunWish
from oversight.pages.runs.reads import Branch, Raised, Whole
from oversight.reading import actors, blind, journeys, log
from oversight.reading.actors import Actor
from oversight.reading.journeys import Journey
from oversight.reading.log import Logged
from oversight.showing.timeline import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What a run that does not move waits for, and until when; `detail` may be anybody's words."""

    words: str
    detail: str = ""
    until: datetime | None = None
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A part of the log that is shown, and the addresses of the parts before and after it."""

    events: tuple[Logged, ...]
    entries: tuple[Entry, ...]
    older_url: str
    newer_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Everything about a run that keeps itself up to date while the page is looked at."""

    run: Whole
    view: str
    started_by: Actor
    waiting: Waiting | None
    branches: tuple[Branch, ...]
    journeys: tuple[Journey, ...]
    alerts: tuple[Raised, ...]
    stretch: Stretch
    live_url: str

    @property
    def under_way(self) -> int:
        """How many of its branches have not ended."""
        return sum(not branch.ended for branch in self.branches)

    @property
    def headline(self) -> str:
        """What the newest proposal of the run asks for."""
        opened = [journey.headline for journey in self.journeys if journey.headline]
        return opened[-1] if opened else ""


def assembled(run: Whole, wish: RunWish, reader: int) -> Shown:
    """`reader` is who looks at it: of an open proposal they decide blind, verdicts are withheld."""
    last = min(wish.up_to or run.last_seq, run.last_seq)
    hidden = blind.hidden_from(reader, run.run_id)
    events = blind.withheld(log.page(run.run_id, up_to=last), hidden)
    names = actors.names([run.initiator, *(event.actor for event in events)])
    return Shown(
        run=run,
        view=wish.view,
        started_by=actors.actor(run.initiator, names),
        waiting=_waiting(run),
        branches=reads.branches(run.run_id) if run.below else (),
        journeys=journeys.told_by(log.of_effects(run.run_id)),
        alerts=reads.alerts(run.run_id),
        stretch=_stretch(run, wish, events, story.entries(events, names)),
        live_url="" if run.ended else _live_url(run, wish),
    )


def _stretch(
    run: Whole, wish: RunWish, events: tuple[Logged, ...], told: tuple[Entry, ...]
) -> Stretch:
    first, last = (events[0].seq, events[-1].seq) if events else (1, run.last_seq)
    return Stretch(
        events=events,
        entries=told,
        older_url=_url(run, wish.view, first - 1) if first > 1 else "",
        newer_url=_url(run, wish.view, last + log.PAGE) if last < run.last_seq else "",
    )


def _url(run: Whole, view: str, up_to: int) -> str:
    return reverse("runs:run", args=[run.run_id], query={"view": view, "up_to": up_to})


def _live_url(run: Whole, wish: RunWish) -> str:
    query = {"view": wish.view, "seen": mark(run)}
    if wish.up_to is not None:
        query["up_to"] = str(wish.up_to)
    return reverse("runs:live", args=[run.run_id], query=query)


def mark(run: Whole) -> str:
    """Changes with every event of the run or a branch, and when a worker's lease lapses."""
    return f"{run.last_seq}+{run.below}{'h' if run.leased else ''}"


def tabs(run_id: uuid.UUID, view: str) -> list[tuple[str, str, bool, None]]:
    words = {"timeline": _("Timeline"), "log": _("Raw log")}
    address = reverse("runs:run", args=[run_id])
    return [(f"{address}?view={name}", words[name], name == view, None) for name in VIEWS]


def _waiting(run: Whole) -> Waiting | None:
    if run.status == "paused":
        event = log.newest_of_kind(run.run_id, "run_paused")
        said = sentences.sentence("run_paused", event.facts if event else {})
        held = reverse("stop:page") if run.reason_code == "stop" else ""
        return Waiting(words=said.words, detail=said.detail, url=held)
    if run.status not in ("waiting_approval", "waiting_external", "rolling_back"):
        return None
    event = log.newest_of_kind(run.run_id, "run_parked")
    return _parked(event.facts["awaiting"]) if event and event.facts else None


def _parked(awaiting: Any) -> Waiting:
    said = of_waits.waits(awaiting)
    words = _("Waits") if awaiting["what"] == "time" else said.words  # `until` says the rest
    until = datetime.fromisoformat(awaiting["until"]) if awaiting.get("until") else None
    proposal = awaiting.get("proposal_id")
    url = reverse("proposal:newest", args=[proposal]) if proposal else ""
    return Waiting(words=words, detail=said.detail, until=until, url=url)
