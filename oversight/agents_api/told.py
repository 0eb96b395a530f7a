"""What agents are told. Instants are RFC 3339 in UTC, digests and hashes are hex."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from engine import states

PREPARING = "preparing"
"""Asked for, and not shown to anybody yet."""
NOT_OPENED = "not_opened"
"""Asked for in a run that ended before anybody was shown it."""

RunStatus = Annotated[str, Field(json_schema_extra={"enum": list(states.RUN)})]
ProposalStatus = Annotated[
    str, Field(json_schema_extra={"enum": [PREPARING, *states.PROPOSAL, NOT_OPENED]})
]
EffectStatus = Annotated[str, Field(json_schema_extra={"enum": list(states.EFFECT)})]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAccepted:
    """A run that was started."""

    run_id: UUID
    workflow: str
    workflow_version: int
    status: RunStatus
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One use of an action: what was really done, or not."""

    effect_id: UUID
    proposal_id: Annotated[UUID | None, Field(description="null for a rollback.")]
    action: str
    action_version: int
    status: EffectStatus
    outcome: Annotated[
        str | None, Field(description="What the target answered, or why nothing was sent.")
    ]
    external_resource_id: Annotated[
        str | None, Field(description="The name of the changed thing at the target.")
    ]
    verification: Annotated[
        str | None, Field(json_schema_extra={"enum": [*states.VERIFICATIONS, None]})
    ]
    committed_at: Annotated[
        datetime | None, Field(description="Set only after verification has passed.")
    ]
    compensates: Annotated[
        UUID | None, Field(description="The effect that this one, a rollback, takes back.")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalSummary:
    """A proposal of a run, at its newest version."""

    proposal_id: UUID
    version: int
    status: ProposalStatus
    action: str
    action_version: int
    tool_call_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A run that another run has branched into, by name, and waits for."""

    branch: str
    run_id: UUID
    status: RunStatus
    reason_code: Annotated[str | None, Field(description="Why it is paused, or how it ended.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Where a run stands."""

    run_id: UUID
    workflow: str
    workflow_version: int
    status: RunStatus
    reason_code: Annotated[str | None, Field(description="Why it is paused, or how it ended.")]
    node: str
    parent: Annotated[UUID | None, Field(description="The run that this one is a branch of.")]
    branch: Annotated[str | None, Field(description="By which name it is that.")]
    branches: Annotated[list[Branch], Field(description="What it has branched into, newest first.")]
    labels: dict[str, Any]
    stands_on: Annotated[
        dict[str, str], Field(description="The versions of models and prompts it is pinned to.")
    ]
    created_at: datetime
    ended_at: datetime | None
    last_seq: Annotated[int, Field(description="The number of its newest event.")]
    proposals: list[ProposalSummary]
    effects: list[Effect]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """Where one run of a list stands."""

    run_id: UUID
    workflow: str
    workflow_version: int
    status: RunStatus
    reason_code: Annotated[str | None, Field(description="Why it is paused, or how it ended.")]
    labels: dict[str, Any]
    created_at: datetime
    ended_at: datetime | None
    last_seq: Annotated[int, Field(description="The number of its newest event.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Some runs of an agent, newest first."""

    runs: list[RunSummary]
    next_cursor: Annotated[
        str | None,
        Field(description="Ask on with `cursor` set to this, for older ones; null at the end."),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What became of an event from outside."""

    name: str
    external_id: str
    outcome: Annotated[
        str,
        Field(
            description="`delivered` to every run that waited for it; `kept` until one will; "
            "`duplicate_ignored` because it was here before.",
            json_schema_extra={"enum": list(states.DELIVERIES)},
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A proposal that was asked for; a worker captures its precondition and opens it."""

    proposal_id: UUID
    run_id: UUID
    version: int
    status: Literal["preparing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """A proposal that was taken back: nothing of it will ever run."""

    proposal_id: UUID
    run_id: UUID
    status: Literal["withdrawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishRequested:
    """The run completes after what is in hand."""

    run_id: UUID
    status: RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a reviewer said of this version."""

    decision: Annotated[str, Field(json_schema_extra={"enum": list(states.DECISIONS)})]
    reason_code: str | None
    reason: str
    decided_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposal at its newest version, and what became of it."""

    proposal_id: UUID
    run_id: UUID
    version: int
    status: ProposalStatus
    final: Annotated[bool, Field(description="Nothing will change any more: stop asking.")]
    meaning: Annotated[str, Field(description="The status in a sentence.")]
    action: str
    action_version: int
    tool_call_id: str | None
    digest: Annotated[str | None, Field(description="What reviewers approve: SHA-256, hex.")]
    question: Annotated[str | None, Field(description="A reviewer's, while it is returned.")]
    opened_at: datetime | None
    valid_until: datetime | None
    decision: Decision | None
    effect: Effect | None
    run_status: RunStatus
    run_reason_code: str | None
    run_last_seq: Annotated[int, Field(description="The number of the run's newest event.")]
    mark: Annotated[
        str, Field(description="Names what is told here; send it as `after` when you ask again.")
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One fact of a run's log."""

    seq: int
    kind: str
    actor: str
    at: datetime
    payload: Annotated[Any, Field(description="null once it has been erased.")]
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Some events of a run, oldest first."""

    events: list[Event]
    next_after: Annotated[int, Field(description="Ask on with `after` set to this.")]
    more: Annotated[bool, Field(description="There are more of them already.")]
