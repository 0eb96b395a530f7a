"""The only way in for pages, for the agents' API and for commands.

Every verb checks what was sent, goes through one door, and hints at the run that it woke.
Errors are those of `engine.errors`; nothing is half-written.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import actions, approval, checkpointing, conf, folding, states, workflows
from .canonical import check, packed
from .errors import AlreadyDecided, BadInput, NotPermitted
from .hints import hint
from .identity import uuid7
from .store import proposals, runs, stops
from .types import Event, Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Initiator:
    """Who starts a run: an agent ("agent:refund-desk"), or a person. `person_id` is the person
    behind it, an agent's owner too; that person never decides what the run proposes."""

    actor: str
    person_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """An authenticated person, as the engine knows them."""

    person_id: int
    name: str

    @property
    def actor(self) -> str:
        return f"person:{self.person_id}"


def start_run(
    workflow: str,
    state: Facts | None = None,
    *,
    initiator: Initiator,
    labels: Facts | None = None,
    version: int | None = None,
) -> uuid.UUID:
    """Accept a run of that workflow, its state given; a worker takes it from there.

    Raises BadInput for an unknown workflow or a state that cannot be stored exactly.
    """
    check(state or {}, "$.state")
    check(labels or {}, "$.labels")
    graph = workflows.get(workflow, version)
    facts = {
        "workflow": graph.name,
        "workflow_version": graph.version,
        "node": graph.start,
        "state": state or {},
        "labels": labels or {},
        "budget": conf.default_budget(),
        "initiator": initiator.actor,
        "initiator_person": initiator.person_id,
    }
    run_id = uuid7()
    first = Event(
        run_id=run_id,
        seq=1,
        kind="run_accepted",
        actor=initiator.actor,
        at="",
        payload=facts,
        hash="",
    )
    checkpoint = checkpointing.saved(folding.fold(None, first))
    runs.start_run(run_id, initiator.actor, packed(facts), checkpoint)
    hint(run_id)
    return run_id


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
) -> uuid.UUID:
    """An agent asks, in a run of its own, that one effect be allowed. Gives the proposal's id.

    A worker captures the precondition and opens the proposal. `tool_call_id` is kept as the
    agent's own name for the call and never trusted to be unique. `rollback_reason` is needed for
    an action that cannot be taken back.
    """
    facts = _request(action, action_version, arguments, why, evidence, rollback_reason)
    facts["proposal_id"] = str(uuid7())
    facts["tool_call_id"] = tool_call_id
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
) -> None:
    """An agent answers a returned proposal with a new version of it.

    Raises Conflict unless `version` is the newest one and was returned, once.
    """
    facts = _request(action, action_version, arguments, why, evidence, rollback_reason)
    facts |= {"proposal_id": str(proposal_id), "answers_version": version, "tool_call_id": None}
    _hear(run_id, "effect_requested", agent, facts)


def finish_run(run_id: uuid.UUID, *, agent: str) -> None:
    """An agent has nothing more to propose: the run completes after what is in hand."""
    _hear(run_id, "finish_requested", agent, {})


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
    frozen = actions.freeze(known, arguments)
    return {
        "action": known.name,
        "action_version": known.version,
        "arguments": frozen.decode(),
        "why": why,
        "evidence": list(evidence),
        "rollback_reason": rollback_reason,
    }


def _hear(run_id: uuid.UUID, kind: str, agent: str, facts: Mapping[str, Any]) -> None:
    proposals.hear_agent(run_id, kind, agent, packed(facts))
    hint(run_id)


def why_not_decide(reviewer: Reviewer, version_id: uuid.UUID) -> str | None:
    """Why this person may not decide this proposal version now; None when they may."""
    return approval.why_not_decide(reviewer.person_id, version_id)


def decide(
    run_id: uuid.UUID,
    version_id: uuid.UUID,
    *,
    reviewer: Reviewer,
    proposal_id: uuid.UUID,
    version: int,
    digest: str,
    decision: str,
    reason: str = "",
    reason_code: str | None = None,
    question: str | None = None,
    seen: Facts | None = None,
) -> None:
    """Say approve, reject or return of exactly what `digest` commits to.

    Raises BadInput for anything but one of the named decisions with a reason (a returned one
    needs its question); NotPermitted, AlreadyDecided, Expired, DigestMismatch, Stopped, Conflict.
    """
    _check_decision(decision, reason, reason_code, question)
    facts = {
        "decision_id": str(uuid7()),
        "id": str(version_id),
        "proposal_id": str(proposal_id),
        "version": version,
        "digest": digest,
        "decision": decision,
        "reason": reason,
        "reason_code": reason_code,
        "question": question,
        "person": reviewer.person_id,
        "person_name": reviewer.name,
        "seen": seen or {},
    }
    told = _decided(run_id, reviewer, facts)
    if "refused" in told:
        raise NotPermitted(f"{told['refused'][0].upper()}{told['refused'][1:]}.")
    hint(run_id)


def _decided(run_id: uuid.UUID, reviewer: Reviewer, facts: Facts) -> Mapping[str, Any]:
    try:
        return proposals.decide(run_id, reviewer.actor, packed(facts))
    except AlreadyDecided as problem:
        status, name, at = str(problem.facts["detail"]).split("|")
        raise AlreadyDecided(
            f"{name} {status} this already.", status=status, person=name, at=at
        ) from problem


def resume_run(run_id: uuid.UUID, *, reviewer: Reviewer, reason: str) -> None:
    """Let a paused run go on, with a reason. What is pending is looked at again; nothing is
    repeated without passing the gate. Raises Conflict unless the run is paused."""
    _must_have_a_reason(reason)
    facts = {"reason": reason, "person": reviewer.person_id, "person_name": reviewer.name}
    runs.resume_run(run_id, reviewer.actor, packed(facts))
    hint(run_id)


def _check_decision(
    decision: object, reason: str, reason_code: str | None, question: str | None
) -> None:
    if decision not in states.DECISIONS:
        names = ", ".join(states.DECISIONS)
        raise BadInput(f"A decision is one of: {names}.", path="$.decision")
    for name, text in (("reason", reason), ("question", question or "")):
        check(text, f"$.{name}")
    if decision == "return" and not (question or "").strip():
        raise BadInput("Ask your question.", path="$.question")
    if decision != "return" and not (reason.strip() or reason_code):
        raise BadInput("Give a reason.", path="$.reason")


def stop_everything(reviewer: Reviewer, reason: str, *, rollbacks_run: bool = False) -> uuid.UUID:
    """Nothing new begins from this commit on. Raises Conflict when a stop is in force."""
    _must_have_a_reason(reason)
    return stops.place_stop(reviewer.actor, reason, rollbacks_run)


def go_on(reviewer: Reviewer, reason: str) -> uuid.UUID:
    """Lift the stop."""
    _must_have_a_reason(reason)
    return stops.lift_stop(reviewer.actor, reason)


def _must_have_a_reason(reason: str) -> None:
    check(reason, "$.reason")
    if not reason.strip():
        raise BadInput("Give a reason.", path="$.reason")
