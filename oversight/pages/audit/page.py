"""The list of events, and what is known of the log as a whole, put together from what was read."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from oversight.pages.audit import reads
from oversight.pages.audit.forms import EventFilter
from oversight.pages.audit.places import Cursor, Place
from oversight.pages.audit.reads import Noted, Row
from oversight.reading import actors
from oversight.reading.actors import Actor
from oversight.reading.counts import Count
from oversight.showing.kinds import kind
from oversight.showing.words import Shown

COMMANDS = (
    "unzip -p placet-export-….zip verify.py > verify.py\npython3 -I verify.py placet-export-….zip"
)
"""How an export is verified somewhere else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One event of the list, with its words and whoever it was."""

    event: Row
    said: Shown
    actor: Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One page of what was searched for, and the addresses around it."""

    lines: tuple[Line, ...]
    count: Count
    newer_url: str
    older_url: str
    live_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a verification found; `faults` are (run, number, what), as many as were written down."""

    at: datetime
    actor: Actor
    intact: bool
    events: str
    runs: str
    count: str
    faults: tuple[Mapping[str, Any], ...]
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One export that was made, and what was asked for, in words."""

    at: datetime
    actor: Actor
    asked: tuple[tuple[str, str], ...]
    matched: str
    events: str
    runs: str
    sha256: str
    url: str


def filter_of(query: Any, form: type[EventFilter] = EventFilter) -> EventFilter:
    """The search form, with the kinds that there are to choose from."""
    names = sorted(reads.kinds(), key=lambda name: str(kind(name).word))
    return form(query, [(name, kind(name).word) for name in names])


def listed(form: EventFilter, cursor: Cursor) -> Listed:
    """What a valid search finds."""
    query = form.as_query()
    found = reads.events(query, cursor)
    asked = form.asked
    return Listed(
        lines=_lines(found.rows),
        count=reads.count(query),
        newer_url=_url(asked, newer=found.newer) if found.newer else "",
        older_url=_url(asked, older=found.older) if found.older else "",
        live_url="" if cursor.place else _live_url(asked, found.rows),
    )


def _lines(rows: Sequence[Row]) -> tuple[Line, ...]:
    names = actors.names(row.actor for row in rows)
    return tuple(
        Line(event=row, said=kind(row.kind), actor=actors.actor(row.actor, names)) for row in rows
    )


def _url(asked: Mapping[str, str], **more: str) -> str:
    return reverse("audit:page", query={**asked, **more})


def _live_url(asked: Mapping[str, str], rows: Sequence[Row]) -> str:
    seen = {}
    if rows:
        newest = Place(at=rows[0].at, run_id=rows[0].run_id, seq=rows[0].seq)
        seen = {"seen": str(newest)}
    return reverse("audit:live", query={**asked, **seen})


def last_verified(run_id: uuid.UUID | None) -> Verified | None:
    """The latest verification of one run's log, or of all of it."""
    wanted = str(run_id) if run_id else None
    for noted in reads.verifications():
        if noted.facts and noted.facts.get("run") == wanted:
            return _verified(noted)
    return None


def _verified(noted: Noted) -> Verified:
    facts = noted.facts
    return Verified(
        at=noted.at,
        actor=_actor(noted),
        intact=facts["intact"] is True,
        events=facts["events"],
        runs=facts["runs"],
        count=facts["faults"],
        faults=tuple(facts.get("found", ())),
        url=_event_url(noted),
    )


def exports() -> tuple[Export, ...]:
    """The latest exports that were made."""
    return tuple(_export(noted) for noted in reads.exports() if noted.facts)


def _export(noted: Noted) -> Export:
    facts = noted.facts
    return Export(
        at=noted.at,
        actor=_actor(noted),
        asked=asked_in_words(facts["query"]),
        matched=facts["matched"],
        events=facts["events"],
        runs=facts["runs"],
        sha256=facts["sha256"],
        url=_event_url(noted),
    )


def _actor(noted: Noted) -> Actor:
    return actors.actor(noted.actor, actors.names([noted.actor]))


def _event_url(noted: Noted) -> str:
    return reverse("audit:event", args=[noted.run_id, noted.seq])


def asked_in_words(query: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What an export was asked for: (what, value). Nothing when it was everything."""
    words = {
        "run_id": _("run"),
        "kind": _("kind"),
        "actor": _("actor"),
        "since": _("from"),
        "until": _("before"),
    }
    return tuple((words.get(name, name), value) for name, value in query.items())


def tabs(here: str) -> list[tuple[str, str, bool, None]]:
    words = {"page": _("Events"), "exports": _("Exports")}
    return [(reverse(f"audit:{name}"), words[name], name == here, None) for name in words]


def mark(made: Sequence[Export]) -> str:
    """Changes with every export that is made."""
    return made[0].at.isoformat() if made else ""


def exports_url(made: Sequence[Export]) -> str:
    return reverse("audit:exports_live", query={"seen": mark(made)})
