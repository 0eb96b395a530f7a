"""What the pages of the runs read: one function, one query, frozen values out."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Now

from engine import states
from engine.models import Alert, Proposal, Run
from oversight.reading import keyset
from oversight.showing import literal

OWN = "system."
"""What the names of the installation's own logs begin with; a stream and a day follow."""

NEWEST = keyset.Order(at="created_at", key="run_id")


def stream(workflow: str) -> str:
    """Which of the installation's logs it is; nothing for a run of a workflow."""
    return workflow.removeprefix(OWN) if workflow.startswith(OWN) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run in the list; `headline` is of its newest proposal and may be anybody's words."""

    run_id: uuid.UUID
    workflow: str
    workflow_version: int
    status: str
    reason_code: str
    node: str
    initiator: str
    headline: str
    created_at: datetime
    last_at: datetime

    @property
    def stream(self) -> str:
        return stream(self.workflow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """One run's own row. `leased` is judged by the database's clock. As a `branch` it has a parent;
    `below` grows with every event of its own branches."""

    run_id: uuid.UUID
    workflow: str
    workflow_version: int
    status: str
    reason_code: str
    node: str
    initiator: str
    last_seq: int
    lease_owner: str
    lease_token: int
    lease_until: datetime | None
    leased: bool
    wake_at: datetime | None
    created_at: datetime
    last_at: datetime
    ended_at: datetime | None
    forked_from: str
    parent_id: uuid.UUID | None
    branch: str
    below: int
    budget: dict[str, Any]
    stands_on: dict[str, str]

    @property
    def origin(self) -> str:
        """The id of the run that this one was forked from."""
        return self.forked_from.partition("@")[0]

    @property
    def origin_seq(self) -> str:
        return self.forked_from.partition("@")[2]

    @property
    def stream(self) -> str:
        return stream(self.workflow)

    @property
    def ended(self) -> bool:
        return self.status in states.terminal(states.RUN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """One alert of a run, how often it came up, and who answers for it."""

    alert_id: uuid.UUID
    kind: str
    status: str
    summary: str
    times: int
    raised_at: datetime
    acknowledged_by: str
    next_step: str
    due_at: datetime | None
    resolution: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One run that another one has branched into."""

    run_id: uuid.UUID
    name: str
    workflow: str
    status: str
    reason_code: str
    last_at: datetime

    @property
    def ended(self) -> bool:
        return self.status in states.terminal(states.RUN)


def runs(
    statuses: tuple[str, ...], reason: str, cursor: keyset.Cursor, *, of_installation: bool
) -> keyset.Page[Row]:
    """The runs of workflows in these states, paused for this reason if one is given, or the
    installation's own logs; the newest first."""
    newest = Proposal.objects.filter(run_id=OuterRef("pk")).order_by("-opened_at")
    own = Q(workflow__startswith=OWN)
    query = Run.objects.filter(own if of_installation else ~own, status__in=statuses).annotate(
        terms=Subquery(newest.values("terms")[:1])
    )
    query = query.filter(reason_code=reason) if reason else query
    return keyset.page(query, NEWEST, cursor, _row)


def paused_by_reason() -> dict[str, int]:
    """Why runs are paused now, and how many for each reason."""
    query = Run.objects.filter(status="paused", reason_code__isnull=False)
    return dict(query.values_list("reason_code").annotate(Count("pk")).order_by("reason_code"))


def _row(record: Any) -> Row:
    terms = literal.read(bytes(record.terms)) if record.terms is not None else {}
    return Row(
        run_id=record.run_id,
        workflow=record.workflow,
        workflow_version=record.workflow_version,
        status=record.status,
        reason_code=record.reason_code or "",
        node=record.current_node,
        initiator=record.initiator,
        headline=terms.get("headline", ""),
        created_at=record.created_at,
        last_at=record.last_at,
    )


def run(run_id: uuid.UUID) -> Whole | None:
    below = Run.objects.filter(parent_id=OuterRef("pk")).values("parent_id")
    counted = Subquery(below.annotate(total=Sum("last_seq")).values("total"))
    record: Any = Run.objects.filter(pk=run_id).annotate(now=Now(), below=counted).first()
    return None if record is None else _whole(record)


def _whole(record: Any) -> Whole:
    return Whole(
        run_id=record.run_id,
        workflow=record.workflow,
        workflow_version=record.workflow_version,
        status=record.status,
        reason_code=record.reason_code or "",
        node=record.current_node,
        initiator=record.initiator,
        last_seq=record.last_seq,
        lease_owner=record.lease_owner or "",
        lease_token=record.lease_token,
        lease_until=record.lease_until,
        leased=record.lease_until is not None and record.lease_until > record.now,
        wake_at=record.wake_at,
        created_at=record.created_at,
        last_at=record.last_at,
        ended_at=record.ended_at,
        forked_from=record.forked_from or "",
        parent_id=record.parent_id,
        branch=record.branch or "",
        below=record.below or 0,
        budget=record.budget,
        stands_on=record.stands_on,
    )


def alerts(run_id: uuid.UUID) -> tuple[Raised, ...]:
    """The alerts of a run, the newest first."""
    return tuple(
        Raised(
            alert_id=record.alert_id,
            kind=record.kind,
            status=record.status,
            summary=record.summary,
            times=record.times,
            raised_at=record.raised_at,
            acknowledged_by=record.acknowledged_by or "",
            next_step=record.next_step or "",
            due_at=record.due_at,
            resolution=record.resolution or "",
        )
        for record in Alert.objects.filter(run_id=run_id).order_by("-raised_at")
    )


MOST_BRANCHES = 200


def branches(run_id: uuid.UUID) -> tuple[Branch, ...]:
    """What a run has branched into, the latest branching first."""
    newest = Run.objects.filter(parent_id=run_id).order_by("-created_at", "branch")[:MOST_BRANCHES]
    return tuple(
        Branch(
            run_id=record.run_id,
            name=record.branch or "",
            workflow=record.workflow,
            status=record.status,
            reason_code=record.reason_code or "",
            last_at=record.last_at,
        )
        for record in newest
    )
