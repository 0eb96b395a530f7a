"""What the policy's pages read: one function, one query, frozen values out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    Func,
    JSONField,
    OuterRef,
    Q,
    Subquery,
    When,
)
from django.db.models.functions import Coalesce, Now

from engine import states
from engine.models import Effect, Event, Policy, Proposal

PAGE = 25
"""How many versions of its history a page shows."""

Rules = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version. `reason` is why it was proposed; `ended_by` dropped it, or put the next one in
    force. `before_…` is the version that it is compared with; None for the first."""

    number: int
    rules: Rules
    status: str
    reason: str
    proposed_by: str
    proposer_id: int | None
    proposed_at: datetime
    in_force_by: str
    in_force_at: datetime | None
    ended_by: str
    ended_at: datetime | None
    before_number: int | None
    before_rules: Rules | None

    @property
    def speaker(self) -> str:
        """The kind of who spoke: the first policy came with the installation."""
        return "engine" if self.proposer_id is None else "person"

    @property
    def proposed(self) -> bool:
        return self.status == "proposed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was said of a proposed version: why it was put in force, or dropped."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """So many proposals that are open, or approved and not sent, were asked under this rule."""

    status: str
    action: str
    risk: str
    rule: Mapping[str, Any]
    count: int


def version(number: int) -> Version | None:
    record = _compared().filter(version=number).first()
    return None if record is None else _version(record)


def in_force() -> Version | None:
    record = _compared().filter(status="in_force").first()
    return None if record is None else _version(record)


def proposed() -> tuple[Version, ...]:
    """What waits for a second person, the latest first."""
    waiting = _compared().filter(status="proposed").order_by("-version")
    return tuple(_version(record) for record in waiting)


def history(*, below: int | None) -> tuple[tuple[Version, ...], int | None]:
    """Versions, the latest first, and where the older ones begin (None where there are none)."""
    found = _compared().order_by("-version")
    if below is not None:
        found = found.filter(version__lt=below)
    records = list(found[: PAGE + 1])
    older = records[PAGE - 1].version if len(records) > PAGE else None
    return tuple(_version(record) for record in records[:PAGE]), older


def _compared() -> Any:
    """Every version beside the one before: what was in force when it was put in force itself, or,
    if it never was, when it was proposed. What is proposed is compared with what holds now."""
    at = Case(When(status="proposed", then=Now()), default=Coalesce("in_force_at", "proposed_at"))
    earlier = (
        Policy.objects.filter(in_force_at__lte=OuterRef("at"))
        .exclude(version=OuterRef("version"))
        .order_by("-in_force_at")
    )
    return Policy.objects.annotate(at=at).annotate(
        before_number=Subquery(earlier.values("version")[:1]),
        before_rules=Subquery(earlier.values("rules")[:1]),
    )


def _version(record: Any) -> Version:
    return Version(
        number=record.version,
        rules=record.rules,
        status=record.status,
        reason=record.reason,
        proposed_by=record.proposed_by_name,
        proposer_id=record.proposed_by_id,
        proposed_at=record.proposed_at,
        in_force_by=record.in_force_by_name or "",
        in_force_at=record.in_force_at,
        ended_by=record.ended_by_name or "",
        ended_at=record.ended_at,
        before_number=record.before_number,
        before_rules=record.before_rules,
    )


def answer_to(item: Version) -> Answer | None:
    """What the log says of why it was put in force or dropped; None while nobody has answered."""
    kind = "policy_dropped" if item.status == "dropped" else "policy_put_in_force"
    at = item.ended_at if item.status == "dropped" else item.in_force_at
    if at is None:
        return None
    # The door notes it in the transaction of the change, a moment after.
    noted = Event.objects.filter(kind=kind, at__gte=at).order_by("at")
    payloads = (bytes(each.payload) for each in noted[:5] if each.payload is not None)
    told = (facts for facts in map(json.loads, payloads) if facts["version"] == item.number)
    return next((Answer(reason=facts["reason"]) for facts in told), None)


def members() -> Mapping[str, int]:
    """How many active people are in each group that there is."""
    counted = Group.objects.annotate(people=Count("user", filter=Q(user__is_active=True)))
    return dict(counted.order_by("name").values_list("name", "people"))


def live() -> tuple[Live, ...]:
    """What is open, and what is approved and not sent, by the rule that it was asked under."""
    sent = Effect.objects.filter(proposal_id=OuterRef("proposal_id")).filter(
        ~Q(status="prepared"), proposal_version=OuterRef("version")
    )
    waiting = Q(status="open", valid_until__gt=Now()) | (Q(status="approved") & ~Exists(sent))
    rule = Func(
        F("terms"),
        template="(convert_from(%(expressions)s, 'UTF8')::json->'rule')::jsonb",
        output_field=JSONField(),
    )
    found = (
        Proposal.objects.filter(waiting)
        .exclude(run__status__in=states.terminal(states.RUN))
        .annotate(rule=rule)
        .values("status", "action", "risk", "rule")
        .annotate(count=Count("pk"))
        .order_by("status", "action", "risk")
    )
    return tuple(Live(**row) for row in found)
