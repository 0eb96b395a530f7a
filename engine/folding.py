"""Fold a run's events, one by one, into its position. Pure: no clock, no database.

A worker resumes by folding the events after a checkpoint; any earlier state of a run is the
nearest checkpoint and the events after it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from . import budgets
from . import folding_rollbacks as rollbacks
from .canonical import packed, sha256_hex
from .errors import Incompatible
from .types import Event, Facts, Pending, Position

Folded = Callable[[Position, Event], Position]


def fold(position: Position | None, event: Event) -> Position:
    """The position after `event`. Raises Incompatible for an event of an unknown kind."""
    if event.kind == "run_accepted":
        return _accepted(event)
    handler = _FOLDS.get(event.kind)
    if handler is None or position is None:
        raise Incompatible(f"This code does not know events of the kind {event.kind!r}.")
    return replace(handler(position, event), seq=event.seq, head=event.hash)


def _accepted(event: Event) -> Position:
    """A new run; a fork begins with what its origin had at the fork point."""
    facts = event.payload
    inherited = facts.get("inherited") or {}
    spent = {**budgets.NOTHING_SPENT, **inherited.get("spent", {})}
    return Position(
        run_id=event.run_id,
        workflow=facts["workflow"],
        workflow_version=facts["workflow_version"],
        initiator=facts["initiator"],
        seq=event.seq,
        head=event.hash,
        state_version=1,
        status="running",
        node=facts["node"],
        state=facts["state"],
        searchable=facts["searchable"],
        visits=inherited.get("visits") or {facts["node"]: 1},
        ordinal=inherited.get("ordinal", 0),
        recorded=inherited.get("recorded", {}),
        completed=inherited.get("completed", {}),
        event=inherited.get("event"),
        done_elsewhere=tuple(inherited.get("done_after", ())),
        budget={"limits": facts["budget"], **spent},
    )


def _stepped(position: Position, facts: Facts, **changes: Any) -> Position:
    """A worker's transition: the state version grows, status and node follow the payload."""
    changes.setdefault("status", facts.get("status", position.status))
    if "worked" in facts:
        budget = changes.get("budget", position.budget)
        changes["budget"] = budgets.spent(budget, {"seconds": facts["worked"]})
    return replace(position, state_version=position.state_version + 1, **changes)


def _unchanged(position: Position, event: Event) -> Position:
    return position


def _stepped_only(position: Position, event: Event) -> Position:
    return _stepped(position, event.payload)


def _claimed(position: Position, event: Event) -> Position:
    """Claimed again while reconciling, the run still comes from where it came before."""
    whence = event.payload["whence"]
    if whence == "reconciling":
        whence = position.whence
    return replace(position, status="reconciling", whence=whence)


def _resumed(position: Position, event: Event) -> Position:
    return _stepped(position, event.payload, whence=None)


def _moved(position: Position, event: Event) -> Position:
    return _arrived(_stepped(position, event.payload, pending=None), event.payload)


def _arrived(position: Position, facts: Facts) -> Position:
    """Apply changes to the workflow's state and, where a node is named, enter it."""
    state = {**position.state, **facts.get("set", {})}
    for key in facts.get("unset", ()):
        state.pop(key, None)
    position = replace(position, state=state, failures=0, awaiting=None)
    node = facts.get("node")
    if node is None:
        return position
    event = (position.wait or {}).get("event")
    position = replace(position, wait=None, event=event)
    visits = {**position.visits, node: position.visits.get(node, 0) + 1}
    budget = budgets.spent(position.budget, {"steps": 1})
    return replace(position, node=node, visits=visits, ordinal=0, recorded={}, budget=budget)


def _value_recorded(position: Position, event: Event) -> Position:
    facts = event.payload
    recorded = {**position.recorded, facts["name"]: facts["value"]}
    return _stepped(position, facts, recorded=recorded)


def _spent(position: Position, event: Event) -> Position:
    """A node told, once for each name, what it has used."""
    facts = event.payload
    recorded = {**position.recorded, f"spent:{facts['name']}": True}
    budget = budgets.spent(position.budget, facts["spent"])
    return _stepped(position, facts, recorded=recorded, budget=budget)


def _budget_raised(position: Position, event: Event) -> Position:
    return replace(position, budget={**position.budget, "limits": event.payload["budget"]})


def _plan_switched(position: Position, event: Event) -> Position:
    facts = event.payload
    recorded = {**position.recorded, f"plan:{facts['name']}": True}
    state = {**position.state, "plan": facts["plan"]}
    return _stepped(position, facts, recorded=recorded, state=state)


def _node_failed(position: Position, event: Event) -> Position:
    return _stepped(position, event.payload, failures=event.payload["failures"])


def _parked(position: Position, event: Event) -> Position:
    return _stepped(position, event.payload, awaiting=event.payload["awaiting"])


def _ended(position: Position, event: Event) -> Position:
    nothing: dict[str, Any] = {"pending": None, "awaiting": None, "asked": None}
    state = {**position.state, **event.payload.get("set", {})}
    return _stepped(position, event.payload, **nothing, state=state, wait=None, event=None)


def _finish_requested(position: Position, event: Event) -> Position:
    return replace(position, requests=(*position.requests, {"finish": True}))


def _wait_begun(position: Position, event: Event) -> Position:
    return _stepped(position, event.payload, wait=event.payload, failures=0)


def _event_received(position: Position, event: Event) -> Position:
    """What was waited for has come; whatever else arrives is nothing to this wait."""
    wait = position.wait
    if wait is None or "event" in wait:
        return position
    return replace(position, wait={**wait, "event": event.payload})


def _wait_elapsed(position: Position, event: Event) -> Position:
    if position.wait is None:
        return position
    return replace(position, wait={**position.wait, "elapsed": True})


def _asked(what: str) -> Folded:
    """An operator asked it of the run; to end it outweighs to pause it."""

    def handler(position: Position, event: Event) -> Position:
        return replace(position, asked="cancel" if position.asked == "cancel" else what)

    return handler


def _paused(position: Position, event: Event) -> Position:
    """Standing still is what was asked; an end that was asked for is still to come."""
    asked = position.asked if position.asked == "cancel" else None
    return _stepped(position, event.payload, asked=asked)


def _authorised(position: Position, event: Event) -> Position:
    """By the plan that was part of the decision; or by an operator, whose word names effects."""
    if "covers" not in event.payload:
        return _stepped_only(position, event)
    return rollbacks.authorised(position, event)


def _begun(position: Position, event: Event) -> Position:
    return _stepped(rollbacks.begun(position), event.payload)


def _retracted(position: Position, event: Event) -> Position:
    return _stepped(position, event.payload, pending=_staged(position, "withdrawn"))


def _resume_requested(position: Position, event: Event) -> Position:
    """A person has looked: what was seen wrong is read again, patience starts anew. A rollback
    that has come to its end and left something standing is over."""
    unwinding = position.unwinding
    if unwinding and unwinding["begun"] and not unwinding["left"] and position.pending is None:
        unwinding = None
    pending = rollbacks.looked_at_again(position.pending)
    return replace(position, pending=pending, unwinding=unwinding, failures=0)


def _requested(position: Position, event: Event) -> Position:
    """A request waits in line: an answer to a question at its head, a finish at its end."""
    request = dict(event.payload)
    position = replace(
        position, budget=budgets.spent(position.budget, request.pop("spent", None) or {})
    )
    if request.get("answers_version") is not None:
        return replace(position, requests=(request, *position.requests))
    asked = [*position.requests, request]
    asked.sort(key=lambda one: bool(one.get("finish")))
    return replace(position, requests=tuple(asked))


def _taken_up(position: Position, event: Event) -> Position:
    """A worker took up the next request, or a node's own; nothing has been shown yet."""
    facts = event.payload
    requests = position.requests[1:] if facts.get("from_request") else position.requests
    ordinal = position.ordinal + (1 if facts.get("new_step") else 0)
    pending = Pending.from_facts({**facts, "stage": "requested"})
    return _stepped(
        position, facts, requests=requests, ordinal=ordinal, pending=pending, failures=0
    )


def _request_dropped(position: Position, event: Event) -> Position:
    return _stepped(position, event.payload, requests=position.requests[1:])


def _opened(position: Position, event: Event) -> Position:
    facts = event.payload
    pending = replace(
        position.in_hand,
        stage="open",
        version_id=facts["id"],
        digest=facts["digest"],
        idempotency_key=facts["idempotency_key"],
        precondition=facts["precondition"],
    )
    return _stepped(position, facts, pending=pending, failures=0)


def _decided(stage: str) -> Folded:
    def handler(position: Position, event: Event) -> Position:
        pending = position.pending
        if pending is None or pending.version_id != event.payload["id"]:
            return position
        question = event.payload.get("question")
        return replace(position, pending=replace(pending, stage=stage, question=question))

    return handler


def _lapsed(position: Position, event: Event) -> Position:
    """Back to the reviewer as a new version of the same request."""
    pending = position.in_hand
    again = Pending.from_facts(
        {
            **pending.as_facts(),
            "stage": "requested",
            "version": pending.version + 1,
            "version_id": None,
            "digest": None,
            "idempotency_key": "",
            "precondition": None,
            "effect_id": None,
            "attempt": 1,
            "tries": 0,
        }
    )
    return _stepped(position, event.payload, pending=again)


def _prepared(position: Position, event: Event) -> Position:
    facts = event.payload
    base = position.pending if facts.get("compensates") is None else None
    pending = Pending.from_facts(
        {**(base.as_facts() if base else {}), **facts, "stage": "prepared", "attempt": 1}
    )
    unwinding = position.unwinding
    if unwinding and facts.get("compensates"):
        unwinding = rollbacks.without(unwinding, facts["compensates"])
    return _stepped(position, facts, pending=pending, unwinding=unwinding)


def _intended(position: Position, event: Event) -> Position:
    return _stepped(position, event.payload, pending=_staged(position, "executing"), failures=0)


def _recorded(position: Position, event: Event) -> Position:
    facts = event.payload
    pending = position.in_hand
    pending = replace(
        pending,
        stage=facts["status"],
        outcome=facts.get("outcome"),
        resource_id=facts.get("resource_id") or pending.resource_id,
        result_ref=facts.get("result_ref") or pending.result_ref,
        verify_by=facts.get("verify_by") or pending.verify_by,
        tries=pending.tries + 1 if facts["status"] == "unknown" else 0,
        attempt=pending.attempt + (1 if facts["status"] == "prepared" else 0),
    )
    return _stepped(position, {}, pending=pending)


_NO_PATIENCE = 1_000


def _probe_requested(position: Position, event: Event) -> Position:
    """Ask once more; what stays unclear goes straight back to a person."""
    pending = replace(position.in_hand, tries=_NO_PATIENCE)
    return replace(position, pending=pending)


def _resolved(position: Position, event: Event) -> Position:
    """A person has ruled what happened; the run goes on from there as from a recorded answer."""
    facts = event.payload
    stage = "partial" if facts["resolution"] == "partly" else facts["status"]
    pending = replace(
        position.in_hand,
        stage=stage,
        outcome=facts["outcome"],
        resource_id=facts.get("resource_id") or position.in_hand.resource_id,
        result_ref=None,
        verify_by=facts.get("verify_by") or "",
        tries=_NO_PATIENCE,
        alerted=(),
    )
    return replace(position, pending=pending)


def _accepted_as_it_is(position: Position, event: Event) -> Position:
    if position.in_hand.effect_id != event.payload["effect_id"]:
        return position
    return replace(position, pending=_staged(position, "accepted"))


def _verified(position: Position, event: Event) -> Position:
    facts = event.payload
    pending = replace(
        position.in_hand,
        stage=facts["verification"],
        expected=facts.get("expected"),
        observed=facts.get("observed"),
        tries=position.in_hand.tries + 1,
    )
    return _stepped(position, facts, pending=pending)


def _committed(position: Position, event: Event) -> Position:
    facts = event.payload
    position = _stepped(position, facts, pending=None)
    if facts.get("compensates") is None:
        position = replace(position, completed=_completed(position.completed, facts))
        position = replace(position, budget=budgets.spent(position.budget, {"effects": 1}))
    else:
        completed = rollbacks.taken_back(position.completed, facts["compensates"])
        position = replace(position, completed=completed)
    return _arrived(position, facts)


def _alerted(position: Position, event: Event) -> Position:
    pending = position.pending
    if pending and pending.effect_id == event.payload.get("effect_id"):
        pending = replace(pending, alerted=(*pending.alerted, event.payload["kind"]))
    unwinding = position.unwinding
    if unwinding and event.payload["kind"] == "rollback_failed":
        unwinding = {**unwinding, "told": True}
    return _stepped(position, event.payload, pending=pending, unwinding=unwinding)


def _completed(completed: Facts, facts: Facts) -> Facts:
    earlier = sha256_hex(packed(completed)) if completed else None
    latest = {key: facts.get(key) for key in ("effect_id", "action", "resource_id", "result_ref")}
    return {"count": completed.get("count", 0) + 1, "latest": latest, "earlier": earlier}


def _staged(position: Position, stage: str) -> Pending:
    return replace(position.in_hand, stage=stage)


_FOLDS: Mapping[str, Folded] = {
    "run_claimed": _claimed,
    "run_resumed": _resumed,
    "run_moved": _moved,
    "run_parked": _parked,
    "run_paused": _paused,
    "pause_requested": _asked("pause"),
    "cancel_requested": _asked("cancel"),
    "resume_requested": _resume_requested,
    "run_ended": _ended,
    "node_failed": _node_failed,
    "wait_begun": _wait_begun,
    "event_received": _event_received,
    "wait_elapsed": _wait_elapsed,
    "value_recorded": _value_recorded,
    "plan_switched": _plan_switched,
    "budget_spent": _spent,
    "budget_raised": _budget_raised,
    "effect_requested": _requested,
    "finish_requested": _finish_requested,
    "request_taken_up": _taken_up,
    "request_dropped": _request_dropped,
    "request_refused": _unchanged,
    "proposal_opened": _opened,
    "proposal_approved": _decided("approved"),
    "proposal_rejected": _decided("rejected"),
    "proposal_returned": _decided("returned"),
    "proposal_expired": _decided("expired"),
    "proposal_withdrawn": _decided("withdrawn"),
    "proposal_retracted": _retracted,
    "decision_made": _unchanged,
    "decision_refused": _unchanged,
    "approval_lapsed": _lapsed,
    "effect_prepared": _prepared,
    "effect_intended": _intended,
    "effect_recorded": _recorded,
    "effect_reconciled": _recorded,
    "probe_requested": _probe_requested,
    "effect_resolved": _resolved,
    "effect_accepted": _accepted_as_it_is,
    "effect_verified": _verified,
    "effect_committed": _committed,
    "effect_compensated": rollbacks.compensated,
    "rollback_authorised": _authorised,
    "rollback_begun": _begun,
    "alert_raised": _alerted,
    "alert_acknowledged": _unchanged,
    "alert_reopened": _unchanged,
    "alert_resolved": _unchanged,
    "late_answer": _unchanged,
}
