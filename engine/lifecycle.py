"""What a run does next, and the plain moves of its life: wait, pause, end.

`next_move` is a pure function of the position. The happy path and recovery both ask it, so
recovery ends in the functions that the happy path calls.
"""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from . import budgets, clock, conf, hints, workflows
from .canonical import packed
from .crashpoints import reach
from .errors import PlacetError
from .eventlog import ACTOR, Behind, Log
from .leasing import Lease
from .store import alerts, runs
from .types import Facts, Pending, Position

Value = TypeVar("Value")

_BY_STAGE = {
    "requested": "open_proposal",
    "open": "wait_for_decision",
    "approved": "prepare",
    "rejected": "settle_refusal",
    "expired": "settle_refusal",
    "withdrawn": "settle_refusal",
    "returned": "wait_for_answer",
    "prepared": "fire",
    "executing": "reconcile",
    "unknown": "reconcile",
    "failed": "settle_failure",
    "succeeded": "verify",
    "not_yet": "verify",
    "passed": "commit",
    "accepted": "commit",
    "mismatch": "settle_mismatch",
    "partial": "settle_unverified",
    "unverifiable": "settle_unverified",
}


UNDER_WAY = frozenset(
    {
        "executing",
        "unknown",
        "succeeded",
        "not_yet",
        "passed",
        "accepted",
        "mismatch",
        "partial",
        "unverifiable",
    }
)
"""Stages in which the world may have been changed: what was begun is settled first."""


class OutsideFailed(Exception):
    """An integrator's function failed before anything was sent: try again later."""


def next_move(position: Position) -> str:
    """The name of the one move that brings this run further."""
    if position.asked and _is_quiet(position):
        return "heed"
    if position.unwinding is not None and not position.unwinding["begun"]:
        return "begin_rollback"
    if position.pending is not None:
        return _of_the_effect(position.pending)
    if position.status == "rolling_back":
        left = position.unwinding and position.unwinding["left"]
        return "take_back" if left else "end_rollback"
    if position.wait is not None:
        return "wait_on_branches" if position.wait["what"] == "branches" else "wait_on"
    if position.requests:
        return "take_request"
    return "visit"


def _of_the_effect(pending: Pending) -> str:
    if pending.stage == "open" and pending.look_for:
        return "look_at_premises"
    return _BY_STAGE[pending.stage]


def _is_quiet(position: Position) -> bool:
    """Nothing that was begun is unfinished; a run on its way back may rest, not end elsewhere, and
    one that has branched ends after its branches."""
    is_rolled_back = position.status == "rolling_back" or position.unwinding is not None
    if position.asked == "cancel" and (is_rolled_back or position.has_branched):
        return False
    return may_be_left(position)


def may_be_left(position: Position) -> bool:
    """Nothing that was sent waits to be settled."""
    return position.pending is None or position.pending.stage not in UNDER_WAY


def heed(log: Log) -> None:
    """Do what an operator asked of the run: stand still, or end."""
    if log.position.asked == "pause":
        return pause(log, "operator", "An operator asked for it.")
    pending = log.position.pending
    if is_retractable(pending):
        return retract(log)
    end(log, "cancelled", reason="operator")


def is_retractable(pending: Pending | None) -> bool:
    """Something is proposed, and nothing of it was sent."""
    return pending is not None and pending.stage in ("open", "approved", "prepared")


def retract(log: Log) -> None:
    pending = log.position.in_hand
    facts = {"proposal_id": pending.proposal_id, "version": pending.version}
    log.write("proposal_retracted", {"id": pending.version_id, **facts, "reason": "cancelled"})


def outside(function: Callable[[], Value]) -> Value:
    """Call an integrator's function; whatever it raises becomes OutsideFailed."""
    try:
        return function()
    except PlacetError:
        raise
    except Exception as problem:
        raise OutsideFailed(f"{type(problem).__name__}: {problem}") from problem


def stopped_by_budget(log: Log) -> bool:
    """Nothing more is begun with what is used up; an operator may raise it."""
    told = budgets.used_up(budgets.spent(log.position.budget, {"seconds": log.worked()}))
    if told is not None:
        pause(log, "budget_exhausted", told)
    return told is not None


def take_request(log: Log) -> None:
    """Take up what the agent asked for next."""
    request = log.position.requests[0]
    if request.get("finish"):
        return end(log, "completed")
    if stopped_by_budget(log):
        return None
    if request.get("answers_version") is not None:
        # The question it answers is no longer open: nothing waits for this any more.
        log.write("request_dropped", {"proposal_id": request["proposal_id"]})
        return None
    log.write("request_taken_up", {**_asked(request), "step_id": _next_step(log.position)})


def _asked(request: Facts) -> dict[str, Any]:
    kept = ("proposal_id", "action", "action_version", "arguments", "why", "evidence")
    facts = {name: request[name] for name in kept}
    return {
        **facts,
        "from_request": True,
        "new_step": True,
        "version": 1,
        "tool_call_id": request.get("tool_call_id"),
        "rollback_reason": request.get("rollback_reason"),
        "valid_seconds": request.get("valid_seconds"),
        "despite": request.get("despite"),
        "what_changed": request.get("what_changed"),
    }


def _next_step(position: Position) -> str:
    return f"{position.visit}:{position.ordinal + 1}"


def take_answer(log: Log, pending: Pending) -> None:
    """The agent answered: the same step, a new version of the proposal."""
    request = log.position.requests[0]
    log.write(
        "request_taken_up",
        {
            **_asked(request),
            "new_step": False,
            "step_id": pending.step_id,
            "version": pending.version + 1,
            "editors": list(pending.editors),
            "then": pending.then,
            "otherwise": pending.otherwise,
        },
    )


def wait_for_agent(log: Log) -> None:
    """Park until the agent speaks; the wait has an end, and its end is: cancelled."""
    if overdue(log.position, "agent"):
        return end(log, "cancelled", reason="expired")
    park(log, "waiting_external", {"what": "agent"}, seconds=conf.agent_wait_seconds())


def overdue(position: Position, what: str) -> bool:
    """Has the wait for `what` reached its end by this worker's clock?"""
    awaiting = position.awaiting
    if not awaiting or awaiting["what"] != what or "until" not in awaiting:
        return False
    return datetime.fromisoformat(awaiting["until"]) <= clock.now()


def park(log: Log, status: str, awaiting: Facts, *, seconds: float | None = None) -> None:
    """Wait without a lease. Refused (Behind) when the awaited fact is already there."""
    until = in_seconds(seconds) if seconds is not None else None
    facts = {"status": status, "awaiting": {**awaiting, **({"until": until} if until else {})}}
    log.write("run_parked", {**facts, "wake_at": until}, boundary=True)


def in_seconds(seconds: float) -> str:
    return (clock.now() + timedelta(seconds=seconds)).isoformat()


def back_off(tries: int) -> float:
    """Seconds to wait after the n-th try in vain: 1, 2, 4 … at most 60."""
    return float(min(2 ** max(tries - 1, 0), 60))


def failed(log: Log, problem: str, *, reason: str = "retries_exhausted") -> None:
    """A move failed before anything was sent: wait longer each time, then ask a person."""
    failures = log.position.failures + 1
    try:
        if failures >= _tries(log.position):
            raise_alert(log, reason, f"Failed {failures} times: {problem}", {})
            return pause(log, reason, problem)
        wake_at = in_seconds(back_off(failures))
        log.write("node_failed", {"error": problem, "failures": failures, "wake_at": wake_at})
    except Behind:
        return None  # the news may be what was missing: the next move is chosen afresh


def _tries(position: Position) -> int:
    """How often the move in hand may fail in a row: a node may have a number of its own."""
    visiting = position.pending is None
    workflow = workflows.find(position.workflow, position.workflow_version) if visiting else None
    node = workflow.nodes.get(position.node) if workflow else None
    return node.tries if node and node.tries is not None else conf.max_failures()


def raise_alert(log: Log, kind: str, summary: str, details: Facts) -> None:
    """Raise an alert about the effect in hand; once, however often the run comes by here."""
    pending = log.position.pending
    if pending is not None and kind in pending.alerted:
        return
    facts = {"alert_id": str(uuid.uuid4()), "kind": kind, "summary": summary, "details": details}
    log.write("alert_raised", {**facts, "effect_id": pending.effect_id if pending else None})


def tell_of_damage(log: Log) -> None:
    """Checkpoints were passed over since they do not match their checksums. The log told what
    they should have; a new checkpoint is saved with the alert."""
    facts = {
        "alert_id": str(uuid.uuid4()),
        "kind": "checkpoint_damaged",
        "summary": "A saved checkpoint was altered; the run went on from its log.",
        "details": {"checkpoints": list(log.damaged)},
        "effect_id": None,
    }
    log.insist("alert_raised", facts, boundary=True)


def pause(log: Log, reason: str, detail: str, **more: Any) -> None:
    """Stand still until a person has looked at it."""
    facts = {"status": "paused", "reason_code": reason, "detail": detail}
    log.write("run_paused", {**facts, **more}, boundary=True)


_WHATEVER_CAME = 2**62


def pause_unread(lease: Lease, reason: str, problem: PlacetError) -> None:
    """Pause a run whose stored position cannot be trusted or read: never guess."""
    facts = {"status": "paused", "reason_code": reason, "detail": problem.message}
    alert: Facts = {
        "alert_id": str(uuid.uuid4()),
        "kind": reason,
        "summary": problem.message,
        "details": {},
        "effect_id": None,
    }
    run, token = lease.run_id, lease.token
    alerts.raise_alert(run, token, _WHATEVER_CAME, ACTOR, packed(alert), None)
    runs.move_run(run, token, _WHATEVER_CAME, "run_paused", ACTOR, packed(facts), None)


def end(log: Log, status: str, *, reason: str | None = None, changes: Facts | None = None) -> None:
    facts = {"status": status, "reason_code": reason, "set": changes or {}}
    told = log.write("run_ended", facts, boundary=True)
    reach("ended")
    hints.hint_at(told)
