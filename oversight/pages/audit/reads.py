"""What the audit reads: one function, one query, frozen values out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Sum

from engine import searching
from engine.models import Event, Run
from engine.searching import EventQuery
from oversight.models import Agent
from oversight.pages.audit import places
from oversight.pages.audit.places import Cursor, Place
from oversight.reading import counts
from oversight.reading.keyset import Page
from oversight.showing import literal

OWN = "system."
"""What the names of the installation's own logs begin with."""

ACCESS = "system.access"
"""The installation's log of who verified, exported and looked."""

NEWS = 100
"""So many newcomers are counted."""

REMEMBERED = 50
"""So many verifications and exports are looked at."""


def instant(at: datetime) -> str:
    """An instant as it is hashed: RFC 3339 in UTC, with six digits."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One event in the list. `stream` is set for events of the installation's own logs."""

    run_id: uuid.UUID
    seq: int
    kind: str
    actor: str
    at: datetime
    hash: str
    workflow: str
    erased: bool

    @property
    def instant(self) -> str:
        return instant(self.at)

    @property
    def stream(self) -> str:
        return self.workflow.removeprefix(OWN) if self.workflow.startswith(OWN) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One event exactly as stored. `payload` and `salt` are None once erased by design."""

    run_id: uuid.UUID
    seq: int
    kind: str
    actor: str
    at: datetime
    payload: bytes | None
    salt: bytes | None
    payload_hash: str
    hash: str
    workflow: str
    last_seq: int

    @property
    def instant(self) -> str:
        return instant(self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """Something that was done to the log as a whole, told by an event of the access log."""

    run_id: uuid.UUID
    seq: int
    at: datetime
    actor: str
    facts: Mapping[str, Any]


def events(query: EventQuery, cursor: Cursor) -> Page[Row]:
    """The events that match, the newest first."""
    return places.page(searching.matching(query).select_related("run"), cursor, _row)


def _row(event: Any) -> Row:
    return Row(
        run_id=event.run_id,
        seq=event.seq,
        kind=event.kind,
        actor=event.actor,
        at=event.at,
        hash=bytes(event.hash).hex(),
        workflow=event.run.workflow,
        erased=event.payload is None,
    )


def count(query: EventQuery) -> counts.Count:
    return counts.count(searching.matching(query))


def news(query: EventQuery, seen: Place | None) -> int:
    """How many events that match have come since the newest one seen, up to `NEWS`."""
    found = searching.matching(query)
    if seen is not None:
        found = found.filter(seen.beyond("gt"))
    return found.order_by()[:NEWS].count()


_KINDS = """
    WITH RECURSIVE known AS (
        (SELECT kind FROM engine_event ORDER BY kind LIMIT 1)
        UNION ALL
        SELECT (SELECT e.kind FROM engine_event e WHERE e.kind > k.kind ORDER BY e.kind LIMIT 1)
        FROM known k WHERE k.kind IS NOT NULL
    )
    SELECT kind FROM known WHERE kind IS NOT NULL
"""
"""From one kind to the next by the index, however many events there are of each."""


def kinds() -> tuple[str, ...]:
    """Every kind of which there is an event."""
    with connection.cursor() as cursor:
        cursor.execute(_KINDS)
        return tuple(kind for (kind,) in cursor.fetchall())


def stored(run_id: uuid.UUID, seq: int) -> Stored | None:
    event: Any = Event.objects.filter(run_id=run_id, seq=seq).select_related("run").first()
    if event is None:
        return None
    return Stored(
        run_id=event.run_id,
        seq=event.seq,
        kind=event.kind,
        actor=event.actor,
        at=event.at,
        payload=None if event.payload is None else bytes(event.payload),
        salt=None if event.salt is None else bytes(event.salt),
        payload_hash=bytes(event.payload_hash).hex(),
        hash=bytes(event.hash).hex(),
        workflow=event.run.workflow,
        last_seq=event.run.last_seq,
    )


def hash_of(run_id: uuid.UUID, seq: int) -> str | None:
    """The hash of one event as it is stored; None where there is no such event."""
    found = Event.objects.filter(run_id=run_id, seq=seq).values_list("hash", flat=True).first()
    return None if found is None else bytes(found).hex()


def people() -> dict[str, str]:
    """How the log calls each person, and their name."""
    return {f"person:{person.pk}": str(person) for person in get_user_model().objects.all()}


def agents() -> tuple[str, ...]:
    """How the log calls each agent."""
    names = Agent.objects.order_by("name").values_list("name", flat=True)
    return tuple(f"agent:{name}" for name in names)


def verifications() -> tuple[Noted, ...]:
    """When the log was verified and with what result, the latest first."""
    return _noted("log_verified")


def exports() -> tuple[Noted, ...]:
    """Which exports were made, the latest first."""
    return _noted("export_made")


def _noted(kind: str) -> tuple[Noted, ...]:
    found = Event.objects.filter(run__workflow=ACCESS, kind=kind).order_by("-at", "-run_id", "-seq")
    return tuple(
        Noted(
            run_id=event.run_id,
            seq=event.seq,
            at=event.at,
            actor=event.actor,
            facts=_facts(event.payload),
        )
        for event in found[:REMEMBERED]
    )


def _facts(payload: Any) -> Mapping[str, Any]:
    """What an event says; nothing where it was erased, or is not what was written."""
    try:
        found = literal.read(bytes(payload or b"{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def events_in_runs_of(query: EventQuery) -> int:
    """How many events an export holds: all of every run in which one matches."""
    runs = searching.matching(query).order_by().values("run_id").distinct()
    found = Run.objects.filter(run_id__in=runs).aggregate(events=Sum("last_seq"))
    return found["events"] or 0


def events_of(run_id: uuid.UUID | None) -> int:
    """How many events one run has, or all runs together."""
    runs = Run.objects.all() if run_id is None else Run.objects.filter(run_id=run_id)
    return runs.aggregate(events=Sum("last_seq"))["events"] or 0
