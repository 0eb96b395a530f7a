"""What is no longer open, who closed it, and what became of it in the world."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from engine.models import Decision, Effect, Proposal
from oversight.pages.inbox.reads import shown
from oversight.reading import exempted, keyset, reasons
from oversight.reading.exempted import Exempt
from oversight.showing import literal, versions

NEWEST_DECIDED = keyset.Order(at="closed_at", key="id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One proposal version that is no longer open, who closed it, and what became of it. Nobody did
    where it is `exempt`.

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
    exempt: Exempt | None
    effect: str
    verification: str
    asked_anew: str

    @property
    def unsettled(self) -> bool:
        """Approved, and the world has not answered for good."""
        final = self.effect in ("committed", "failed", "compensated")
        return self.status in ("approved", "exempted") and not final


def page(query: QuerySet[Proposal], cursor: keyset.Cursor) -> keyset.Page[Decided]:
    """What is no longer open, the latest first."""
    said = Decision.objects.filter(proposal=OuterRef("pk")).order_by("-decided_at")
    done = Effect.objects.filter(
        proposal_id=OuterRef("proposal_id"), proposal_version=OuterRef("version")
    )
    later = Proposal.objects.filter(
        proposal_id=OuterRef("proposal_id"), version=OuterRef("version") + 1
    )
    told = exempted.told(query).annotate(
        person=Subquery(said.values("person_name")[:1]),
        reason_code=Subquery(said.values("reason_code")[:1]),
        reason=Subquery(said.values("reason")[:1]),
        effect_status=Subquery(done.values("status")[:1]),
        effect_verification=Subquery(done.values("verification")[:1]),
        effect_committed_at=Subquery(done.values("committed_at")[:1]),
        next_terms=Subquery(later.values("terms")[:1]),
    )
    return keyset.page(told, NEWEST_DECIDED, cursor, _decided)


def _decided(record: Any) -> Decided:
    terms = literal.read(bytes(record.terms))
    return Decided(
        proposal_id=record.proposal_id,
        version=record.version,
        run_id=record.run_id,
        status=exempted.word(record.status, exempted.of(record)),
        closed_at=record.closed_at,
        exempt=exempted.of(record),
        person=record.person or "",
        reason=reasons.in_words(record.reason_code, record.reason or ""),
        effect=_effect(record),
        verification=_verification(record),
        asked_anew=_asked_anew(record),
        **shown(record, terms),
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


def _verification(record: Any) -> str:
    """What re-reading the target showed, where that is not what was approved."""
    if record.effect_status != "succeeded" or record.effect_committed_at:
        return ""
    found = record.effect_verification
    return found if found in ("mismatch", "partial", "unverifiable") else ""
