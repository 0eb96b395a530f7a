"""What agents, and whoever starts a run, may say."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from engine import actions, approval, budgets, checkpointing, conf, pins, values, workflows
from engine.canonical import check, packed
from engine.errors import BadInput
from engine.hints import hint
from engine.identity import uuid7
from engine.store import proposals, runs
from engine.types import Facts

from .who import Initiator


def start_run(
    workflow: str,
    state: Facts | None = None,
    *,
    initiator: Initiator,
    labels: Facts | None = None,
    version: int | None = None,
    budget: Facts | None = None,
    stands_on: Mapping[str, str] | None = None,
) -> uuid.UUID:
    """Accept a run of that workflow, its state given; a worker takes it from there.

    `budget` sets limits below the installation's (see `engine.budgets`). `stands_on` names the
    versions of models and prompts with which an agent drives an open-ended run; a workflow with a
    graph names its own. Raises BadInput for an unknown workflow, a wider budget, or a state that
    cannot be stored exactly.
    """
    check(state or {}, "$.state")
    check(labels or {}, "$.labels")
    graph = _startable(workflow, version)
    light, kept = values.lightened(state or {})
    facts = {
        "workflow": graph.name,
        "workflow_version": graph.version,
        "node": graph.start,
        "state": light,
        "searchable": graph.searchable,
        "stands_on": _pinned(graph, stands_on),
        "labels": labels or {},
        "budget": budgets.narrowed(conf.default_budget(), budget or {}),
        "initiator": initiator.actor,
        "initiator_person": initiator.person_id,
    }
    return _accepted(facts, initiator.actor, [large.body for large in kept])


def _startable(workflow: str, version: int | None) -> workflows.Workflow:
    graph = workflows.get(workflow, version)
    if graph.internal:
        raise BadInput(f"The workflow {workflow!r} is started by Placet alone.", path="$.workflow")
    return graph


def _accepted(facts: Facts, actor: str, bodies: Sequence[bytes]) -> uuid.UUID:
    run_id = uuid7()
    runs.start_run(
        run_id, actor, packed(facts), checkpointing.first(run_id, actor, facts), list(bodies)
    )
    hint(run_id)
    return run_id


def _pinned(graph: workflows.Workflow, named: Mapping[str, str] | None) -> Facts:
    if not named:
        return graph.stands_on
    if not graph.open_ended:
        raise BadInput("This workflow says itself what it stands on.", path="$.stands_on")
    if problem := pins.problem_with(named):
        raise BadInput(problem, path="$.stands_on")
    return dict(named)


def request_effect(
    run_id: uuid.UUID,
    *,
    agent: str,
    action: str,
    arguments: Facts,
    why: str,
    evidence: Sequence[Any] = (),
    tool_call_id: str | None = None,
    action_version: int | None = None,
    rollback_reason: str | None = None,
    valid_seconds: int | None = None,
    spent: Facts | None = None,
    despite: uuid.UUID | None = None,
    what_changed: str | None = None,
) -> uuid.UUID:
    """An agent asks, in a run of its own, that one effect be allowed. Gives the proposal's id.

    A worker captures the precondition and opens the proposal. `tool_call_id` is kept as the
    agent's own name for the call and never trusted to be unique. `rollback_reason` is needed for
    an action that cannot be taken back; `valid_seconds` asks for less time than the policy gives.
    `spent` tells what of the run's budget it took to come to this: tokens and money.

    Raises RejectedBefore where exactly this was rejected for this agent of late, unless `despite`
    names that proposal and `what_changed` says what is different now; the reviewer is shown both.
    Raises Conflict where `despite` names anything else.
    """
    facts = _request(action, action_version, arguments, why, evidence, rollback_reason)
    facts["valid_seconds"] = _checked_seconds(valid_seconds)
    facts |= _despite(despite, what_changed)
    facts["proposal_id"] = str(uuid7())
    facts["tool_call_id"] = tool_call_id
    facts["spent"] = budgets.checked_spending(spent or {})
    _hear(run_id, "effect_requested", agent, facts)
    return uuid.UUID(facts["proposal_id"])


def answer_question(
    run_id: uuid.UUID,
    proposal_id: uuid.UUID,
    *,
    version: int,
    agent: str,
    action: str,
    arguments: Facts,
    why: str,
    evidence: Sequence[Any] = (),
    action_version: int | None = None,
    rollback_reason: str | None = None,
    valid_seconds: int | None = None,
    despite: uuid.UUID | None = None,
    what_changed: str | None = None,
) -> None:
    """An agent answers a returned proposal with a new version of it.

    Raises Conflict unless `version` is the newest one and was returned, once; RejectedBefore as
    `request_effect` does.
    """
    facts = _request(action, action_version, arguments, why, evidence, rollback_reason)
    facts["valid_seconds"] = _checked_seconds(valid_seconds)
    facts |= _despite(despite, what_changed)
    facts |= {"proposal_id": str(proposal_id), "answers_version": version, "tool_call_id": None}
    _hear(run_id, "effect_requested", agent, facts)


def withdraw_proposal(run_id: uuid.UUID, proposal_id: uuid.UUID, *, agent: str) -> None:
    """An agent takes its own proposal back; an approval falls with it.

    Raises Conflict once it has been sent, or when it has ended in another way.
    """
    facts = {"proposal_id": str(proposal_id)}
    proposals.withdraw_proposal(run_id, agent, packed(facts))
    hint(run_id)


def finish_run(run_id: uuid.UUID, *, agent: str) -> None:
    """An agent has nothing more to propose: the run completes after what is in hand."""
    _hear(run_id, "finish_requested", agent, {})


def note_refused_request(run_id: uuid.UUID, facts: Facts, *, agent: str) -> None:
    """An agent asked for what it may not; `facts` say what it was told, not what it had sent."""
    runs.note_refused_request(run_id, agent, packed(facts))


def _request(
    action: str,
    version: int | None,
    arguments: Facts,
    why: str,
    evidence: Sequence[Any],
    rollback_reason: str | None,
) -> dict[str, Any]:
    check(arguments, "$.arguments")
    check(why, "$.why")
    check(list(evidence), "$.evidence")
    check(rollback_reason, "$.rollback_reason")
    if not why.strip():
        raise BadInput("Say why; the reviewer will ask.", path="$.why")
    known = actions.get(action, version)
    actions.must_be_justified(known, rollback_reason)
    approval.must_be_typable(known, actions.validated(known, arguments))
    frozen = actions.freeze(known, arguments)
    return {
        "action": known.name,
        "action_version": known.version,
        "arguments": frozen.decode(),
        "why": why,
        "evidence": list(evidence),
        "rollback_reason": rollback_reason,
    }


def _despite(rejected: uuid.UUID | None, what_changed: str | None) -> dict[str, str | None]:
    """Both or neither: who asks again after a rejection says what is different now."""
    check(what_changed, "$.what_changed")
    if rejected is None and what_changed is not None:
        raise BadInput("Name the rejected proposal that this is about.", path="$.despite")
    if rejected is not None and not (what_changed or "").strip():
        raise BadInput("Say what has changed since it was rejected.", path="$.what_changed")
    return {"despite": str(rejected) if rejected else None, "what_changed": what_changed}


def _checked_seconds(valid_seconds: object) -> int | None:
    if valid_seconds is None:
        return None
    if not isinstance(valid_seconds, int) or isinstance(valid_seconds, bool) or valid_seconds <= 0:
        raise BadInput("A whole number of seconds, more than none.", path="$.valid_seconds")
    return valid_seconds


def _hear(run_id: uuid.UUID, kind: str, agent: str, facts: Mapping[str, Any]) -> None:
    pieces, kept = values.lightened_pieces(facts.get("evidence", ()))
    light = {**facts, "evidence": pieces} if kept else facts
    bodies = [large.body for large in kept]
    hold_back = conf.hold_back_seconds()
    proposals.hear_agent(run_id, kind, agent, packed(light), bodies, hold_back=hold_back)
    hint(run_id)
