"""What was decided of late about this action, this target first, and what became of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Now
from django.urls import reverse

from engine import states
from engine.models import Decision, Effect
from oversight.pages.proposal.reads import Version
from oversight.reading import reasons
from oversight.showing import literal

OF_LATE = timedelta(days=90)

LOOKED_THROUGH = 50
"""So many of the newest decisions on the action are looked through for those on the same target."""

SHOWN = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One word on another proposal that is closed. `became` is what its effect came to, if any."""

    url: str
    headline: str
    person: str
    status: str
    reason: str
    at: datetime
    became: str | None
    same_target: bool


def of(item: Version) -> tuple[Decided, ...]:
    """The newest, those on the same target first. What is open is left out: its reviewers may have
    to decide blind."""
    found = [_decided(record, item) for record in _records(item)]
    found.sort(key=lambda each: not each.same_target)
    return tuple(found[:SHOWN])


def _records(item: Version) -> Any:
    effect = Effect.objects.filter(
        proposal_id=OuterRef("proposal__proposal_id"),
        proposal_version=OuterRef("proposal__version"),
    )
    query = Decision.objects.filter(
        proposal__action=item.action[0], decided_at__gt=Now() - OF_LATE
    ).exclude(proposal__status="open")
    query = query.exclude(proposal__proposal_id=item.proposal_id).annotate(
        became=Subquery(effect.values("status")[:1]),
        committed=Subquery(effect.values("committed_at")[:1]),
        of=F("proposal__proposal_id"),
        version=F("proposal__version"),
        terms=F("proposal__terms"),
    )
    return query.order_by("-decided_at")[:LOOKED_THROUGH]


def _decided(record: Any, item: Version) -> Decided:
    terms = literal.read(bytes(record.terms))
    return Decided(
        url=reverse("proposal:version", args=[record.of, record.version]),
        headline=terms["headline"],
        person=record.person_name,
        status=states.DECISIONS[record.decision],
        reason=reasons.in_words(record.reason_code, record.reason),
        at=record.decided_at,
        became=_became(record),
        same_target=terms["target"] == item.terms["target"],
    )


def _became(record: Any) -> str | None:
    """A committed effect is told from one that was merely carried out."""
    committed = record.became == "succeeded" and record.committed is not None
    return "committed" if committed else record.became
