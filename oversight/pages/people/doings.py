"""What somebody has in hand, and did of late: their claims, the alerts they answered, the runs that
they started or steered. Each is one query, and the newest of it."""

import json
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.utils.functional import Promise

from engine.models import Alert, Event, Run
from oversight.reading import claims
from oversight.showing import kinds, literal

MOST = 8
"""How many of each a page lists."""

ANSWERING = ("alert_acknowledged", "alert_resolved")
STEERING = (
    "run_accepted",
    "pause_requested",
    "resume_requested",
    "cancel_requested",
    "budget_raised",
    "rollback_authorised",
)
"""What somebody does to a run: starts it, or says how it goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A proposal that somebody is looking at now. `headline` may be anybody's words."""

    proposal_id: uuid.UUID
    version: int
    headline: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An alert, and how it stands now; `theirs` if somebody waits for them to deal with it."""

    alert_id: uuid.UUID
    summary: str
    status: str
    at: datetime
    theirs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Steered:
    """A run, and what this person did last to it: a kind of event."""

    run_id: uuid.UUID
    workflow: str
    status: str
    kind: str
    at: datetime

    @property
    def word(self) -> str | Promise:
        return kinds.kind(self.kind).word


def claimed(person_id: int) -> tuple[Claimed, ...]:
    found = claims.living().filter(person=person_id).select_related("proposal")
    return tuple(
        Claimed(
            proposal_id=each.proposal.proposal_id,
            version=each.proposal.version,
            headline=literal.read(bytes(each.proposal.terms))["headline"],
            until=each.until,
        )
        for each in found.order_by("until")[:MOST]
    )


def answered(person_id: int) -> tuple[Answered, ...]:
    """The latest first; of each alert what they said last."""
    log = Event.objects.filter(actor=f"person:{person_id}", kind__in=ANSWERING).order_by("-at")
    told: Any = log.exclude(payload=None).values_list("payload", "at")
    latest: dict[uuid.UUID, datetime] = {}
    for payload, at in told[: 3 * MOST]:
        latest.setdefault(uuid.UUID(json.loads(bytes(payload))["alert_id"]), at)
    wanted = list(latest)[:MOST]
    alerts = {each.pk: each for each in Alert.objects.filter(pk__in=wanted)}
    return tuple(_answered(alerts[pk], latest[pk]) for pk in wanted if pk in alerts)


def _answered(alert: Alert, at: datetime) -> Answered:
    return Answered(
        alert_id=alert.pk,
        summary=alert.summary,
        status=alert.status,
        at=at,
        theirs=alert.status == "acknowledged" and alert.acknowledged_at == at,
    )


def steered(person_id: int) -> tuple[Steered, ...]:
    """The latest first; of each run what they did last."""
    log = Event.objects.filter(actor=f"person:{person_id}", kind__in=STEERING)
    last = log.values("run_id").annotate(last=Max("at")).order_by("-last")[:MOST]
    moments = {row["run_id"]: row["last"] for row in last}
    events = log.filter(run_id__in=moments, at__in=moments.values())
    done = {(run, at): kind for run, at, kind in events.values_list("run_id", "at", "kind")}
    found = {each.pk: each for each in Run.objects.filter(pk__in=moments)}
    return tuple(
        Steered(
            run_id=pk,
            workflow=f"{found[pk].workflow} {found[pk].workflow_version}",
            status=found[pk].status,
            kind=done[pk, at],
            at=at,
        )
        for pk, at in moments.items()
    )
