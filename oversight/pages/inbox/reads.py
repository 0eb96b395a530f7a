"""What the inbox reads of what is open: one function, one query, frozen rows out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import (
    Count,
    Exists,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce, Now
from django.utils import timezone
from django.utils.translation import gettext as _

from engine.models import Decision, Event, Proposal
from oversight.reading import calling, claims, decidable, rehearsals, twins, worklist
from oversight.reading.calling import Calling
from oversight.reading.claims import Held
from oversight.reading.rehearsals import Rehearsed
from oversight.showing import literal

PRESSING = timedelta(hours=1)
"""From here on the time left is pointed out."""

LEAST_TIME_LEFT = worklist.Order(weight="alike", at="valid_until", key="id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One open proposal. `headline`, `target`, `agent` and `branch` may be anybody's words.

    `approvals` is None where the reader decides blind; `why_not` is why it is not theirs to decide.
    """

    id: uuid.UUID
    proposal_id: uuid.UUID
    version: int
    risk: str
    headline: str
    action: str
    target: str
    agent: str
    workflow: str
    branch: str
    rollback: str
    rehearsed: Rehearsed | None
    opened_at: datetime
    valid_until: datetime
    calling: Calling
    asked_before: bool
    rejected_before: bool
    needed: int
    approvals: int | None
    claim: Held | None
    reader: int
    why_not: str = ""

    @property
    def pressing(self) -> bool:
        return self.valid_until - timezone.now() < PRESSING

    @property
    def claimed_by_reader(self) -> bool:
        return self.claim is not None and self.claim.person_id == self.reader

    @property
    def lost(self) -> bool:
        """Somebody took the reader's claim over."""
        return self.claim is not None and self.claim.from_id == self.reader


def to_decide(person_id: int) -> QuerySet[Proposal]:
    """What this person may decide now."""
    return decidable.proposals(person_id)


def claimed(person_id: int) -> QuerySet[Proposal]:
    """Those that somebody has claimed."""
    held = claims.living().values("proposal")
    return decidable.proposals(person_id).filter(pk__in=held)


def not_theirs(person_id: int) -> QuerySet[Proposal]:
    """What is open, and not for this person to decide."""
    theirs = decidable.proposals(person_id).values("pk")
    return Proposal.objects.filter(status="open", valid_until__gt=Now()).exclude(pk__in=theirs)


def page(
    query: QuerySet[Proposal], cursor: worklist.Cursor, person_id: int, *, theirs: bool
) -> worklist.Page[Waiting]:
    """One page of what is open, the least time left first; `theirs` if the reader decides it."""
    told = twins.marked(query).select_related("run").annotate(**_beside(person_id))
    found = worklist.page(told, LEAST_TIME_LEFT, cursor, lambda record: record)
    held = claims.on([each.pk for each in found.rows])
    context = _Context(
        reader=person_id,
        held=held,
        rehearsed=rehearsals.latest(),
        groups=_groups(person_id),
        theirs=theirs,
    )
    rows = tuple(context.waiting(record) for record in found.rows)
    return worklist.Page(rows=rows, before=found.before, after=found.after)


def _beside(person_id: int) -> dict[str, Any]:
    started = Event.objects.filter(run_id=OuterRef("run_id"), seq=1, actor=f"person:{person_id}")
    heard = Decision.objects.filter(proposal=OuterRef("pk"), person=person_id)
    yes = Decision.objects.filter(proposal=OuterRef("pk"), decision="approve").order_by()
    count = yes.values("proposal").annotate(count=Count("pk")).values("count")
    return {
        "alike": Value(0, output_field=IntegerField()),
        "approved": Coalesce(Subquery(count), 0),
        "started_by_reader": Exists(started),
        "heard_reader": Exists(heard),
    }


def _groups(person_id: int) -> frozenset[str]:
    return frozenset(Group.objects.filter(user=person_id).values_list("name", flat=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A claim of the reader's that somebody else has taken over."""

    proposal_id: uuid.UUID
    version: int
    headline: str
    person: str
    at: datetime


def lost(person_id: int) -> tuple[Lost, ...]:
    """Claims that were taken over from this person and that still hold."""
    found = claims.living().filter(from_person=person_id).select_related("proposal")
    return tuple(
        Lost(
            proposal_id=each.proposal.proposal_id,
            version=each.proposal.version,
            headline=literal.read(bytes(each.proposal.terms))["headline"],
            person=each.person_name,
            at=each.claimed_at,
        )
        for each in found.order_by("-claimed_at")[:10]
    )


def known(query: QuerySet[Proposal]) -> Mapping[str, list[str]]:
    """The actions, agents and workflows that occur, for the filters to offer."""
    found = list(query.order_by().values_list("action", "agent", "run__workflow").distinct()[:200])
    names = ("actions", "agents", "workflows")
    told = {name: sorted({each[place] for each in found}) for place, name in enumerate(names)}
    told["agents"] = [agent.removeprefix("agent:") for agent in told["agents"]]
    return told


@dataclass(frozen=True, slots=True, kw_only=True)
class LastAndNext:
    """For an empty list: when something was last decided, what of others' expires next, and when
    the stop was last drilled."""

    last_decision: datetime | None
    next_expiry: datetime | None
    last_drill: datetime | None


def last_and_next() -> LastAndNext:
    found = Proposal.objects.aggregate(
        last=Max("decisions__decided_at"),
        expiry=Min("valid_until", filter=Q(status="open", valid_until__gt=Now())),
    )
    drilled = Event.objects.filter(kind="stop_drilled").aggregate(last=Max("at"))
    return LastAndNext(
        last_decision=found["last"], next_expiry=found["expiry"], last_drill=drilled["last"]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """What a row needs besides its record, read once for the whole page."""

    reader: int
    held: Mapping[uuid.UUID, Held]
    rehearsed: Mapping[tuple[str, int], Rehearsed]
    groups: frozenset[str]
    theirs: bool

    def waiting(self, record: Any) -> Waiting:
        terms = literal.read(bytes(record.terms))
        rule, why_not = terms["rule"], self.why_not(record)
        return Waiting(
            id=record.id,
            proposal_id=record.proposal_id,
            version=record.version,
            agent=record.agent.removeprefix("agent:"),
            workflow=f"{record.run.workflow} {record.run.workflow_version}",
            branch=record.run.branch or "",
            rollback=terms["rollback"]["kind"],
            rehearsed=self.rehearsed.get((record.action, record.action_version)),
            opened_at=record.opened_at,
            valid_until=record.valid_until,
            calling=calling.of(record, rule),
            asked_before=record.asked_before,
            rejected_before=terms.get("despite") is not None,
            needed=sum(int(group["approve"]) for group in rule["groups"]),
            approvals=None if rule["blind"] and not why_not else record.approved,
            claim=self.held.get(record.id),
            reader=self.reader,
            why_not=why_not,
            **shown(record, terms),
        )

    def why_not(self, record: Any) -> str:
        """Why it is not for the reader to decide; nothing where it is."""
        if record.heard_reader:
            return _("Your word is in; others have to be heard.")
        if record.started_by_reader or record.run.initiator_person_id == self.reader:
            return _("You started it, or your agent did.")
        if self.reader in record.editors:
            return _("You edited it.")
        if not self.groups & set(record.groups):
            return _("It waits for %(groups)s; you are in none of them.") % {
                "groups": ", ".join(record.groups)
            }
        return (
            "" if self.theirs else _("Its rule asks more of who decides it: open it to see what.")
        )


def shown(record: Proposal, terms: Mapping[str, Any]) -> dict[str, str]:
    return {
        "risk": record.risk,
        "headline": terms["headline"],
        "action": terms["action"],
        "target": terms["target"],
    }
