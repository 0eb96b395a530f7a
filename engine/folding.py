"""Fold a run's events, one by one, into its position. Pure: no clock, no database.

A worker resumes by folding the events after a checkpoint; any earlier state of a run is the
nearest checkpoint and the events after it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from . import budgets, folding_effects
from . import folding_rollbacks as rollbacks
from .errors import Incompatible
from .folding_steps import Folded, arriving, stepped
from .types import Event, Position


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
        stands_on=facts.get("stands_on", {}),
        visits=inherited.get("visits") or {facts["node"]: 1},
        ordinal=inherited.get("ordinal", 0),
        recorded=inherited.get("recorded", {}),
        completed=inherited.get("completed", {}),
        event=inherited.get("event"),
        branches=inherited.get("branches"),
        done_elsewhere=tuple(inherited.get("done_after", ())),
        budget={"limits": facts["budget"], **spent},
    )


def _claimed(position: Position, event: Event) -> Position:
    """Claimed again while reconciling, the run still comes from where it came before."""
    whence = event.payload["whence"]
    if whence == "reconciling":
        whence = position.whence
    return replace(position, status="reconciling", whence=whence)


def _resumed(position: Position, event: Event) -> Position:
    return stepped(position, event.payload, whence=None)


def _moved(position: Position, event: Event) -> Position:
    return stepped(position, event.payload, **arriving(position, event.payload, pending=None))


def _value_recorded(position: Position, event: Event) -> Position:
    facts = event.payload
    recorded = {**position.recorded, facts["name"]: facts["value"]}
    return stepped(position, facts, recorded=recorded)


def _spent(position: Position, event: Event) -> Position:
    """A node told, once for each name, what it has used."""
    facts = event.payload
    recorded = {**position.recorded, f"spent:{facts['name']}": True}
    budget = budgets.spent(position.budget, facts["spent"])
    return stepped(position, facts, recorded=recorded, budget=budget)


def _budget_raised(position: Position, event: Event) -> Position:
    return replace(position, budget={**position.budget, "limits": event.payload["budget"]})


def _plan_switched(position: Position, event: Event) -> Position:
    facts = event.payload
    recorded = {**position.recorded, f"plan:{facts['name']}": True}
    state = {**position.state, "plan": facts["plan"]}
    return stepped(position, facts, recorded=recorded, state=state)


def _carried_over(position: Position, event: Event) -> Position:
    """Under other versions: perhaps at another node, which is entered there and then."""
    facts = event.payload
    position = stepped(
        position,
        facts,
        workflow_version=facts["workflow_version"],
        stands_on=facts["stands_on"],
        searchable=facts["searchable"],
        state=facts["state"],
        pending=folding_effects.asked_anew(position.pending, facts),
        failures=0,
    )
    node = facts["node"]
    if node == position.node:
        return position
    visits = {**position.visits, node: position.visits.get(node, 0) + 1}
    return replace(position, node=node, visits=visits, ordinal=0, recorded={})


def _node_failed(position: Position, event: Event) -> Position:
    return stepped(position, event.payload, failures=event.payload["failures"])


def _parked(position: Position, event: Event) -> Position:
    return stepped(position, event.payload, awaiting=event.payload["awaiting"])


def _ended(position: Position, event: Event) -> Position:
    nothing: dict[str, Any] = {"pending": None, "awaiting": None, "asked": None}
    state = {**position.state, **event.payload.get("set", {})}
    nothing |= {"wait": None, "event": None, "branches": None}
    return stepped(position, event.payload, **nothing, state=state)


def _finish_requested(position: Position, event: Event) -> Position:
    return replace(position, requests=(*position.requests, {"finish": True}))


def _wait_begun(position: Position, event: Event) -> Position:
    return stepped(position, event.payload, wait=event.payload, failures=0)


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


def _branches_recalled(position: Position, event: Event) -> Position:
    return stepped(position, event.payload, wait={**(position.wait or {}), "recalled": True})


def _branches_joined(position: Position, event: Event) -> Position:
    """What the branches have used, the run has used."""
    outcomes, joined, budget = event.payload["branches"], {}, position.budget
    for name, outcome in outcomes.items():
        budget = budgets.spent(budget, outcome["spent"])
        joined[name] = {what: value for what, value in outcome.items() if what != "spent"}
    wait = {**(position.wait or {}), "joined": joined}
    return stepped(position, event.payload, wait=wait, budget=budget)


def _asked(what: str) -> Folded:
    """An operator asked it of the run; to end it outweighs to pause it."""

    def handler(position: Position, event: Event) -> Position:
        return replace(position, asked="cancel" if position.asked == "cancel" else what)

    return handler


def _paused(position: Position, event: Event) -> Position:
    """Standing still is what was asked; an end that was asked for is still to come."""
    asked = position.asked if position.asked == "cancel" else None
    return stepped(position, event.payload, asked=asked)


def _resume_requested(position: Position, event: Event) -> Position:
    """A person has looked: what was seen wrong is read again, patience starts anew. A rollback
    that has come to its end and left something standing is over. A branch may be told so before
    it has come to stand still."""
    asked = position.asked if position.asked == "cancel" else None
    unwinding = position.unwinding
    if unwinding and unwinding["begun"] and not unwinding["left"] and position.pending is None:
        unwinding = None
    pending = rollbacks.looked_at_again(position.pending)
    return replace(position, asked=asked, pending=pending, unwinding=unwinding, failures=0)


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
    "versions_carried_over": _carried_over,
    "wait_begun": _wait_begun,
    "branches_begun": _wait_begun,
    "branches_recalled": _branches_recalled,
    "branches_joined": _branches_joined,
    "event_received": _event_received,
    "wait_elapsed": _wait_elapsed,
    "value_recorded": _value_recorded,
    "plan_switched": _plan_switched,
    "budget_spent": _spent,
    "budget_raised": _budget_raised,
    "finish_requested": _finish_requested,
    **folding_effects.FOLDS,
}
