"""What the inbox reads: one function, one query, frozen rows out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, OuterRef, Q, Subquery
from django.db.models.functions import Now
from django.utils import timezone

from engine.models import Decision, Effect, Proposal
from oversight.reading import decidable, keyset, reasons, twins
from oversight.showing import literal, versions

LIST = 100
"""How many proposals the list to decide shows; those with the least time left."""

PRESSING = timedelta(hours=1)
"""From here on the time left is pointed out."""

NEWEST_DECIDED = keyset.Order(at="closed_at", key="id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One proposal to decide. `headline`, `target` and `agent` may be anybody's words."""

    proposal_id: uuid.UUID
    version: int
    risk: str
    headline: str
    action: str
    target: str
    agent: str
    rollback: str
    opened_at: datetime
    valid_until: datetime
    asked_before: bool

    @property
    def pressing(self) -> bool:
        return self.valid_until - timezone.now() < PRESSING


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One proposal version that is no longer open, who closed it, and what became of it.

    `asked_anew` says what has changed under a version that fell for it; the next one is open to
    a decision of its own. It may be anybody's words.
    """

    proposal_id: uuid.UUID
    version: int
    run_id: uuid.UUID
    risk: str
    headline: str
    action: str
    target: str
    status: str
    closed_at: datetime
    person: str
    reason: str
    effect: str
    asked_anew: str

    @property
    def unsettled(self) -> bool:
        """Approved, and the world has not answered for good."""
        final = self.effect in ("committed", "failed", "compensated")
        return self.status == "approved" and not final


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a reader of the list has seen of it: how many there were, and the newest of them."""

    count: int = 0
    newest: datetime | None = None

    def __str__(self) -> str:
        return f"{self.count}~{self.newest.isoformat() if self.newest else ''}"

    @classmethod
    def read(cls, text: str) -> "Mark":
        """What `str` wrote; something else counts as having seen nothing."""
        count, _, newest = text.partition("~")
        try:
            return cls(count=int(count), newest=datetime.fromisoformat(newest) if newest else None)
        except ValueError:
            return cls()


def waiting_for(person_id: int) -> tuple[Waiting, ...]:
    """What this person may decide now, the least time left first."""
    query = twins.marked(decidable.proposals(person_id)).order_by("valid_until", "id")
    return tuple(_waiting(record) for record in query[:LIST])


def mark_for(person_id: int) -> Mark:
    found = decidable.proposals(person_id).aggregate(count=Count("id"), newest=Max("opened_at"))
    return Mark(count=found["count"], newest=found["newest"])


def news_for(person_id: int, seen: Mark) -> int:
    """How many proposals have come since `seen`.

    Two transactions may commit in another order than their clocks say, so that a newcomer can be
    older than the newest one seen: the longer list gives it away.
    """
    newer = Q(opened_at__gt=seen.newest) if seen.newest else Q()
    found = decidable.proposals(person_id).aggregate(
        count=Count("id"), newer=Count("id", filter=newer)
    )
    return max(found["newer"], found["count"] - seen.count)


def decided(cursor: keyset.Cursor) -> keyset.Page[Decided]:
    """What is no longer open, the latest first."""
    said = Decision.objects.filter(proposal=OuterRef("pk")).order_by("-decided_at")
    done = Effect.objects.filter(
        proposal_id=OuterRef("proposal_id"), proposal_version=OuterRef("version")
    )
    later = Proposal.objects.filter(
        proposal_id=OuterRef("proposal_id"), version=OuterRef("version") + 1
    )
    query = Proposal.objects.exclude(closed_at=None).annotate(
        person=Subquery(said.values("person_name")[:1]),
        reason_code=Subquery(said.values("reason_code")[:1]),
        reason=Subquery(said.values("reason")[:1]),
        effect_status=Subquery(done.values("status")[:1]),
        effect_committed_at=Subquery(done.values("committed_at")[:1]),
        next_terms=Subquery(later.values("terms")[:1]),
    )
    return keyset.page(query, NEWEST_DECIDED, cursor, _decided)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastAndNext:
    """For an empty list: when something was last decided, and what of others' expires next."""

    last_decision: datetime | None
    next_expiry: datetime | None


def last_and_next() -> LastAndNext:
    found = Proposal.objects.aggregate(
        last=Max("decisions__decided_at"),
        expiry=Min("valid_until", filter=Q(status="open", valid_until__gt=Now())),
    )
    return LastAndNext(last_decision=found["last"], next_expiry=found["expiry"])


def _waiting(record: Any) -> Waiting:
    terms = literal.read(bytes(record.terms))
    return Waiting(
        proposal_id=record.proposal_id,
        version=record.version,
        agent=record.agent.removeprefix("agent:"),
        rollback=terms["rollback"]["kind"],
        opened_at=record.opened_at,
        valid_until=record.valid_until,
        asked_before=record.asked_before,
        **_shown(record, terms),
    )


def _shown(record: Proposal, terms: Mapping[str, Any]) -> dict[str, str]:
    return {
        "risk": record.risk,
        "headline": terms["headline"],
        "action": terms["action"],
        "target": terms["target"],
    }


def _decided(record: Any) -> Decided:
    terms = literal.read(bytes(record.terms))
    return Decided(
        proposal_id=record.proposal_id,
        version=record.version,
        run_id=record.run_id,
        status=record.status,
        closed_at=record.closed_at,
        person=record.person or "",
        reason=reasons.in_words(record.reason_code, record.reason or ""),
        effect=_effect(record),
        asked_anew=_asked_anew(record),
        **_shown(record, terms),
    )


def _asked_anew(record: Any) -> str:
    if record.next_terms is None:
        return ""
    changed = literal.read(bytes(record.next_terms)).get("carried_over", ())
    return ", ".join(versions.changed(one) for one in changed)


def _effect(record: Any) -> str:
    """The word for what happened; of a lapsed approval nothing was sent."""
    if record.status == "lapsed":
        return ""
    if record.effect_committed_at and record.effect_status == "succeeded":
        return "committed"
    return record.effect_status or ""
