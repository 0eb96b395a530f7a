"""What a proposal's page reads: one function, one query, frozen values out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Max
from django.db.models.functions import Now

from engine import states
from engine.models import Decision, Effect, Event, Proposal
from oversight.reading import calling, decidable, exempted, reasons
from oversight.reading.calling import Calling
from oversight.reading.exempted import Exempt
from oversight.showing import literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version with the very bytes that its digest commits to, and where its run stands.

    `terms` are read from those bytes; their numbers keep the characters they were stored with.
    `expired` is judged by the database's clock, before a sweep has come by.
    """

    id: uuid.UUID
    proposal_id: uuid.UUID
    version: int
    run_id: uuid.UUID
    run_status: str
    parent_id: uuid.UUID | None
    branch: str
    last_seq: int
    agent: str
    action: tuple[str, int]
    status: str
    exempt: Exempt | None
    expired: bool
    risk: str
    policy_version: int
    digest: str
    idempotency_key: str
    arguments: bytes
    content: str
    terms: Mapping[str, Any]
    question: str
    opened_at: datetime
    valid_until: datetime
    calling: Calling
    closed_at: datetime | None

    @property
    def decidable(self) -> bool:
        return self.status == "open" and not self.expired

    @property
    def shown_status(self) -> str:
        """Expired as soon as its time is over, though a sweep has yet to say so."""
        if self.status == "open" and self.expired:
            return "expired"
        return exempted.word(self.status, self.exempt)

    @property
    def run_ended(self) -> bool:
        return self.run_status in states.terminal(states.RUN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one person said of one version, of which they had `seen` a page."""

    id: uuid.UUID
    seen: Mapping[str, Any]
    version: int
    person_id: int
    person: str
    decision: str
    reason: str
    at: datetime

    @property
    def status(self) -> str:
        """The state that the decision put its version in."""
        return states.DECISIONS[self.decision]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One decision, with what its author had been shown."""

    id: uuid.UUID
    version_id: uuid.UUID
    person: str
    decision: str
    digest: str
    at: datetime
    seen: Mapping[str, Any]

    @property
    def status(self) -> str:
        return states.DECISIONS[self.decision]

    @property
    def shown_at(self) -> datetime | None:
        return datetime.fromisoformat(self.seen["at"]) if "at" in self.seen else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One version among all of its proposal, with the bytes of its arguments."""

    version: int
    status: str
    exempt: Exempt | None
    opened_at: datetime
    closed_at: datetime | None
    arguments: bytes
    premises: Mapping[str, Any]
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """Who put other arguments in place of those of `version`, and why."""

    version: int
    person: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The next proposal that the same person may decide."""

    proposal_id: uuid.UUID
    version: int
    headline: str
    risk: str
    valid_until: datetime


def newest(proposal_id: uuid.UUID) -> int | None:
    """The number of the newest version."""
    found = Proposal.objects.filter(proposal_id=proposal_id).aggregate(newest=Max("version"))
    return found["newest"]


def version(proposal_id: uuid.UUID, number: int) -> Version | None:
    query = Proposal.objects.filter(proposal_id=proposal_id, version=number)
    record: Any = exempted.told(query).select_related("run").annotate(now=Now()).first()
    return None if record is None else _version(record)


def _version(record: Any) -> Version:
    run, terms = record.run, literal.read(bytes(record.terms))
    over = record.status == "expired" or record.valid_until <= record.now
    return Version(
        id=record.id,
        proposal_id=record.proposal_id,
        version=record.version,
        run_id=record.run_id,
        run_status=run.status,
        parent_id=run.parent_id,
        branch=run.branch or "",
        last_seq=run.last_seq,
        agent=record.agent,
        status=record.status,
        exempt=exempted.of(record),
        expired=over,
        action=(record.action, record.action_version),
        risk=record.risk,
        policy_version=record.policy_version,
        digest=record.digest,
        idempotency_key=record.idempotency_key,
        arguments=bytes(record.arguments),
        content=record.content,
        terms=terms,
        question=record.question or "",
        opened_at=record.opened_at,
        valid_until=record.valid_until,
        calling=calling.of(record, terms["rule"]),
        closed_at=record.closed_at,
    )


def was_sent(item: Version) -> bool:
    """Whether anything may have happened under this version."""
    found = Effect.objects.filter(proposal_id=item.proposal_id, proposal_version=item.version)
    return found.exclude(status="prepared").exists()


def versions(proposal_id: uuid.UUID) -> tuple[Past, ...]:
    """Every version of a proposal, the newest first."""
    query = exempted.told(Proposal.objects.filter(proposal_id=proposal_id)).order_by("-version")
    return tuple(
        Past(
            version=record.version,
            status=exempted.word(record.status, exempted.of(record)),
            exempt=exempted.of(record),
            opened_at=record.opened_at,
            closed_at=record.closed_at,
            arguments=bytes(record.arguments),
            premises=literal.read(bytes(record.terms))["precondition"],
            question=record.question or "",
        )
        for record in query
    )


def edits(item: Version) -> tuple[Edited, ...]:
    """Every edit of a proposal, in the order in which they were made."""
    log = Event.objects.filter(run_id=item.run_id, kind="proposal_edited").order_by("seq")
    told = [(event.at, literal.read(bytes(event.payload))) for event in log if event.payload]
    return tuple(
        Edited(
            version=int(facts["version"]),
            person=facts["person_name"],
            reason=facts["reason"],
            at=at,
        )
        for at, facts in told
        if facts["proposal_id"] == str(item.proposal_id)
    )


def said(proposal_id: uuid.UUID) -> tuple[Said, ...]:
    """Every decision on any version of a proposal, in the order in which they were made."""
    query = Decision.objects.filter(proposal__proposal_id=proposal_id).annotate(
        version=F("proposal__version")
    )
    return tuple(_said(record) for record in query.order_by("decided_at"))


def heard(decision_id: uuid.UUID) -> Heard | None:
    record = Decision.objects.filter(pk=decision_id).first()
    if record is None:
        return None
    return Heard(
        id=record.pk,
        version_id=record.proposal_id,
        person=record.person_name,
        decision=record.decision,
        digest=record.digest,
        at=record.decided_at,
        seen=record.seen,
    )


def _said(record: Any) -> Said:
    return Said(
        id=record.pk,
        seen=record.seen,
        version=record.version,
        person_id=record.person_id,
        person=record.person_name,
        decision=record.decision,
        reason=reasons.in_words(record.reason_code, record.reason),
        at=record.decided_at,
    )


def lapsed_under(item: Version) -> str | None:
    """The reason of the stop under which this version lapsed; None when it did not."""
    told = Event.objects.filter(run_id=item.run_id, kind="proposal_lapsed").order_by("-seq")
    facts = [literal.read(bytes(event.payload)) for event in told if event.payload is not None]
    return next((each["detail"] for each in facts if each["id"] == str(item.id)), None)


def next_for(person_id: int, *, after: uuid.UUID) -> Offer | None:
    """What this person may decide next, other than version `after`."""
    query = decidable.proposals(person_id).exclude(pk=after).order_by("valid_until", "id")
    record = query.first()
    if record is None:
        return None
    return Offer(
        proposal_id=record.proposal_id,
        version=record.version,
        headline=literal.read(bytes(record.terms))["headline"],
        risk=record.risk,
        valid_until=record.valid_until,
    )
