"""The values that pass between the layers: frozen, slotted, keyword-only."""

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .errors import Damaged

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One fact of a run's log. `at` is RFC 3339 in UTC, hashes are hex."""

    run_id: uuid.UUID
    seq: int
    kind: str
    actor: str
    at: str
    payload: Facts
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """The one effect that a run has in hand, and how far it has come (`stage`).

    requested → open → approved | rejected | returned | expired | withdrawn
    approved → prepared → executing → succeeded | failed | unknown
    succeeded → passed | not_yet | mismatch | partial | unverifiable → accepted

    `editors` wrote some of it; `look_for` is who wants the premises looked at before deciding.
    `despite` is the rejected proposal that asked for the same, `what_changed` what the agent says
    has changed since.
    """

    stage: str
    step_id: str
    action: str
    action_version: int
    arguments: str
    tool_call_id: str | None = None
    why: str = ""
    rollback_reason: str | None = None
    valid_seconds: int | None = None
    evidence: tuple[Any, ...] = ()
    then: str | None = None
    otherwise: str | None = None
    proposal_id: str | None = None
    version: int = 1
    version_id: str | None = None
    digest: str | None = None
    idempotency_key: str = ""
    precondition: Facts | None = None
    question: str | None = None
    wait_seconds: int = 0
    approved_at: str = ""
    effect_id: str | None = None
    attempt: int = 1
    resource_id: str | None = None
    result_ref: str | None = None
    outcome: str | None = None
    verify_by: str = ""
    observed: Any = None
    expected: Any = None
    tries: int = 0
    alerted: tuple[str, ...] = ()
    compensates: str | None = None
    rests_on: str | None = None
    carried_over: tuple[Facts, ...] = ()
    editors: tuple[Facts, ...] = ()
    look_for: str = ""
    despite: str | None = None
    what_changed: str = ""

    @property
    def is_rollback(self) -> bool:
        return self.compensates is not None

    def as_facts(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value not in (None, (), "")}

    @classmethod
    def from_facts(cls, facts: Facts) -> "Pending":
        known = {item.name for item in fields(cls)}
        chosen = {key: value for key, value in facts.items() if key in known}
        for name in ("evidence", "alerted", "carried_over", "editors"):
            chosen[name] = tuple(chosen.get(name) or ())
        return cls(**chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedOut:
    """A forward effect that was carried out, as far as taking it back is concerned: by a run
    (`run_id`), or by a branch of it.

    `status` is succeeded or compensated; `left` is how the inverse's precondition found the object
    right after the effect was verified, None where that was not seen; `rollback_status` is that
    of the rollback of it, None where there is none.
    """

    effect_id: str
    run_id: str
    step_id: str
    action: str
    action_version: int
    arguments: str
    resource_id: str | None
    result_ref: str | None
    status: str
    committed: bool
    at: str
    left: Facts | None
    rollback_status: str | None
    rollback_outcome: str | None

    @property
    def stands(self) -> bool:
        return self.status == "succeeded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a run stands after folding its log up to `seq`.

    `completed` names the latest committed effect and refers to the earlier ones by hash, so it
    does not grow. `visits` counts arrivals at each node, `ordinal` the requests of this visit.
    `done_elsewhere` are effects that the run it was forked from committed after the fork point.
    `asked` is what an operator has asked of the run and no worker has heeded yet. `unwinding` is
    a rollback that an operator authorised: what it covers, what of that is `left`, what is to be
    done by hand, and whether it has `begun`.
    `wait` is what the node has the run wait for, and then what became of it (`event`, `elapsed`
    or `joined`); `event` is the event from outside that led to this node, `branches` what the
    branches have come to that did. `stands_on` are the versions of models and prompts that the run
    is pinned to.
    """

    run_id: uuid.UUID
    workflow: str
    workflow_version: int
    initiator: str
    seq: int
    head: str
    state_version: int
    status: str
    node: str
    whence: str | None = None
    state: Facts = field(default_factory=dict)
    visits: Facts = field(default_factory=dict)
    ordinal: int = 0
    recorded: Facts = field(default_factory=dict)
    requests: tuple[Facts, ...] = ()
    awaiting: Facts | None = None
    asked: str | None = None
    unwinding: Facts | None = None
    wait: Facts | None = None
    event: Facts | None = None
    branches: Facts | None = None
    searchable: Facts = field(default_factory=dict)
    failures: int = 0
    pending: Pending | None = None
    completed: Facts = field(default_factory=dict)
    done_elsewhere: tuple[Facts, ...] = ()
    budget: Facts = field(default_factory=dict)
    stands_on: Facts = field(default_factory=dict)

    @property
    def visit(self) -> str:
        return f"{self.node}:{self.visits.get(self.node, 1)}"

    @property
    def has_branched(self) -> bool:
        """It waits for branches that it has not joined yet."""
        wait = self.wait
        return wait is not None and wait["what"] == "branches" and "joined" not in wait

    @property
    def in_hand(self) -> Pending:
        """The effect in hand. Raises Damaged when the log speaks of one that is not there."""
        if self.pending is None:
            raise Damaged("The run has no effect in hand.")
        return self.pending


IN_SNAPSHOT = (
    "state",
    "visits",
    "ordinal",
    "recorded",
    "requests",
    "awaiting",
    "asked",
    "done_elsewhere",
    "unwinding",
    "wait",
    "event",
    "branches",
    "failures",
    "whence",
    "searchable",
    "workflow_version",
    "stands_on",
)
"""The fields of a position that a checkpoint keeps in its `state_snapshot`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a target answered to an act that it carried out."""

    resource_id: str | None
    result: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a probe by key found: `found`, `absent` or `unclear`."""

    kind: str
    resource_id: str | None = None
    result: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What re-reading the target showed: one of `states.VERIFICATIONS`."""

    verification: str
    expected: Any = None
    observed: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The target before and after, as flat JSON objects, for the reviewer's eyes."""

    before: Facts
    after: Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Advanced:
    """What one pass over one run did."""

    run_id: uuid.UUID
    outcome: str
    seq: int = 0
