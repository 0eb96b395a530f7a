"""What the pages of standing exemptions read: one function, one query, frozen values out."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Now

from engine import states
from engine.models import Effect, Exemption, Proposal, Voice
from oversight.showing import exemption as words
from oversight.showing import literal

PAGE = 25
"""How many of those that are over are listed; and how many uses of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One person's approval."""

    person_id: int
    person: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One exemption. `shown` is what its digest commits to; it may be anybody's words."""

    id: uuid.UUID
    digest: str
    shown: Mapping[str, Any]
    status: str
    is_due: bool
    used: int
    uses: int
    until: datetime
    proposed_by: str
    proposer_id: int
    proposed_at: datetime
    standing_at: datetime | None
    ended_at: datetime | None
    ended_by: str
    ended_why: str
    ended_reason: str
    given: tuple[Given, ...]

    @property
    def left(self) -> int:
        return self.uses - self.used

    @property
    def lives(self) -> bool:
        """It may still be ended: it stands, or somebody may still approve it."""
        return self.status in states.LIVE and not self.is_due

    @property
    def state(self) -> str:
        """Over as soon as its time is, or its last use; no door has to say so."""
        if self.status == "standing" and self.left == 0:
            return "used_up"
        return "over" if self.is_due and self.status in states.LIVE else self.status

    @property
    def rule(self) -> Mapping[str, Any]:
        rule: Mapping[str, Any] = self.shown["rule"]
        return rule

    @property
    def label(self) -> str:
        return f"{self.shown['action']} v{self.shown['version']}"

    @property
    def agent(self) -> str:
        return str(self.shown["agent"]).removeprefix("agent:")

    @property
    def scope(self) -> str:
        return words.scope(self.shown)

    @property
    def most(self) -> str:
        return words.most(self.shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A request that an exemption was for: let through, or drawn to be asked of people."""

    proposal_id: uuid.UUID
    version: int
    headline: str
    at: datetime
    drawn: bool
    status: str
    effect: str


def living() -> tuple[Standing, ...]:
    """Those that wait for people, then those that stand; of either the latest first."""
    found = _told().filter(status__in=states.LIVE, until__gt=Now())
    return tuple(map(_standing, found.order_by("status", "-proposed_at")))


def over() -> tuple[Standing, ...]:
    """Those that are over, the latest first."""
    found = _told().exclude(status__in=states.LIVE, until__gt=Now())
    return tuple(map(_standing, found.order_by("-proposed_at")[:PAGE]))


def one(exemption_id: uuid.UUID) -> Standing | None:
    record = _told().filter(pk=exemption_id).first()
    return None if record is None else _standing(record)


def _told() -> QuerySet[Exemption]:
    voices = Prefetch("voices", Voice.objects.order_by("given_at"))
    return Exemption.objects.annotate(now=Now()).prefetch_related(voices)


def _standing(record: Any) -> Standing:
    return Standing(
        id=record.pk,
        digest=record.digest,
        shown=literal.read(bytes(record.content)),
        status=record.status,
        is_due=record.until <= record.now,
        used=record.used,
        uses=record.uses,
        until=record.until,
        proposed_by=record.proposed_by_name,
        proposer_id=record.proposed_by_id,
        proposed_at=record.proposed_at,
        standing_at=record.standing_at,
        ended_at=record.ended_at,
        ended_by=record.ended_by or "",
        ended_why=record.ended_why or "",
        ended_reason=record.ended_reason or "",
        given=tuple(_given(record.voices.all())),
    )


def _given(voices: Iterable[Voice]) -> Iterable[Given]:
    for each in voices:
        yield Given(
            person_id=each.person_id, person=each.person_name, reason=each.reason, at=each.given_at
        )


def uses(exemption_id: uuid.UUID) -> tuple[Use, ...]:
    """What it let through, and what was drawn; the latest first."""
    done = Effect.objects.filter(
        proposal_id=OuterRef("proposal_id"), proposal_version=OuterRef("version")
    )
    found = (
        Proposal.objects.filter(exemption=exemption_id)
        .annotate(
            effect_status=Subquery(done.values("status")[:1]),
            committed_at=Subquery(done.values("committed_at")[:1]),
        )
        .order_by("-opened_at", "id")
    )
    return tuple(map(_use, found[:PAGE]))


def _use(record: Any) -> Use:
    committed = record.committed_at is not None and record.effect_status == "succeeded"
    return Use(
        proposal_id=record.proposal_id,
        version=record.version,
        headline=literal.read(bytes(record.terms))["headline"],
        at=record.opened_at,
        drawn=record.drawn,
        status=record.status,
        effect="committed" if committed else (record.effect_status or ""),
    )


def agents() -> tuple[str, ...]:
    """Names of agents that have proposed something, for a form to offer."""
    found = Proposal.objects.filter(agent__startswith="agent:").order_by("agent")
    names = found.values_list("agent", flat=True).distinct()[:200]
    return tuple(name.removeprefix("agent:") for name in names)
