"""The protocol of one effect, forward or rollback: prepare, fire, verify, commit.

Every write below is one commit. Read `fire` as the linear story it is: what is durable at each
line is what a successor finds there.
"""

import logging
import time
import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from . import actions, carried_out, clock, conf, evidence, inverses
from .actions import Action, Refused
from .approval import leave
from .canonical import as_said, frozen, packed, sha256_hex
from .concealing import without_secrets
from .crashpoints import reach
from .errors import (
    BudgetExhausted,
    DigestMismatch,
    Expired,
    LeaseLost,
    NotPermitted,
    RuleChanged,
    Stopped,
    TooEarly,
)
from .eventlog import ACTOR, Log
from .lifecycle import back_off, in_seconds, outside, park, pause, raise_alert
from .store import effects
from .types import Facts, Pending, Verified

logger = logging.getLogger(__name__)

REFUSALS = (
    Stopped,
    Expired,
    NotPermitted,
    DigestMismatch,
    RuleChanged,
    TooEarly,
    BudgetExhausted,
)
"""What the gate may say. Nothing was sent, and nothing will be under this approval."""


def prepare(log: Log) -> None:
    """The approved effect exists from here on; nothing has been sent."""
    pending = log.position.in_hand
    if (seconds := _held_back(pending)) > 0:
        return park(log, "waiting_approval", {"what": "waiting_time"}, seconds=seconds)
    facts = {
        "effect_id": str(uuid.uuid4()),
        "step_id": pending.step_id,
        "tool_call_id": pending.tool_call_id,
        "action": pending.action,
        "action_version": pending.action_version,
        "idempotency_key": pending.idempotency_key,
        "request_hash": sha256_hex(pending.arguments.encode()),
        "proposal_id": pending.proposal_id,
        "version": pending.version,
        "digest": pending.digest,
    }
    try:
        log.write("effect_prepared", facts, boundary=True)
    except REFUSALS as refusal:
        refused(log, refusal)


def _held_back(pending: Pending) -> float:
    """Seconds that the policy still has it wait: time for second thoughts."""
    if not pending.wait_seconds:
        return 0
    until = datetime.fromisoformat(pending.approved_at) + timedelta(seconds=pending.wait_seconds)
    return (until - clock.now()).total_seconds()


def fire(log: Log) -> None:
    """From prepared to recorded, in one go."""
    pending = log.position.in_hand
    action = actions.get(pending.action, pending.action_version)
    args = actions.thawed(action, pending.arguments)

    # The world may have changed since it was shown. Then nothing fires.
    found = outside(lambda: action.precondition(args))
    found = as_said(without_secrets(found))
    if frozen(found) != frozen(pending.precondition):
        return _drifted(log, pending, found)
    reach("prepared")

    # Commit point: the intent is durable. From here on the act may have happened, and whoever
    # finds the run at this place asks the target before anything else.
    started = time.monotonic()
    try:
        told = log.write("effect_intended", _intent(log, pending, action))
    except REFUSALS as refusal:
        return refused(log, refusal)
    log.lease.calls(action.call_seconds)
    reach("intended")

    # Exactly the bytes that the gate has checked are sent.
    args = actions.thawed(action, told["arguments"])
    outcome = _act(action, args, pending, log.lease.token, started)
    reach("executed")

    # Commit point: the answer is durable. What happened is known without asking again.
    try:
        log.insist("effect_recorded", {**_attempt(pending), **outcome}, boundary=True)
    except LeaseLost:
        _note_late(log, pending, outcome)
        raise
    reach("recorded")


def _intent(log: Log, pending: Pending, action: Action) -> dict[str, Any]:
    return {
        **_attempt(pending),
        "digest": pending.digest,
        "action_version": action.version,
        "idempotency_key": pending.idempotency_key,
        "request_hash": sha256_hex(pending.arguments.encode()),
        "fencing_token": log.lease.token,
        "call_seconds": action.call_seconds,
        "margin_seconds": conf.margin_seconds(),
    }


def _attempt(pending: Pending) -> dict[str, Any]:
    return {"effect_id": pending.effect_id, "attempt": pending.attempt}


def _act(action: Action, args: Any, pending: Pending, token: int, started: float) -> dict[str, Any]:
    """Call the target once. An answer, a clear no, or nobody knows: never a guess."""
    try:
        if time.monotonic() - started > action.call_seconds:
            raise TimeoutError("the call's deadline had passed before it was sent")
        answer = action.execute(args, key=pending.idempotency_key, fencing_token=token)
    except Refused as no:
        return {"status": "failed", "outcome": f"refused: {no}"}
    except Exception as problem:
        logger.warning(
            "effect %s: no usable answer (%s)", pending.effect_id, type(problem).__name__
        )
        ref = evidence.keep_failure(problem)
        return {"status": "unknown", "outcome": type(problem).__name__, "result_ref": ref}
    return succeeded(action, answer.resource_id, answer.result)


def succeeded(action: Action, resource_id: str | None, result: Any) -> dict[str, Any]:
    """The facts of an effect that the target says it carried out."""
    return {
        "status": "succeeded",
        "outcome": "answered",
        "resource_id": resource_id,
        "result_ref": evidence.keep(result),
        "verify_by": in_seconds(action.verify_seconds),
    }


def _note_late(log: Log, pending: Pending, outcome: Facts) -> None:
    facts = {**_attempt(pending), **outcome, "fencing_token": log.lease.token}
    effects.note_late_answer(log.position.run_id, ACTOR, packed(facts))


def _drifted(log: Log, pending: Pending, found: Facts) -> None:
    """The approval was for another world."""
    if pending.is_rollback:
        summary = "The object changed since the effect; the rollback was not carried out."
        details = {"expected": pending.precondition, "observed": found}
        return _rollback_failed(log, summary, details)
    lapse(log, pending, "precondition_failed", {"before": pending.precondition, "after": found})


def lapse(log: Log, pending: Pending, reason: str, facts: Facts) -> None:
    """The approval no longer holds; the request goes back to the reviewers as a new version."""
    facts = {"proposal_id": pending.proposal_id, "version": pending.version, **facts}
    log.write("approval_lapsed", {**facts, "effect_id": pending.effect_id, "reason": reason})


def refused(log: Log, refusal: Exception) -> None:
    """The gate said no. What that means for the run depends on what it said."""
    pending = log.position.in_hand
    if pending.is_rollback:
        return rollback_refused(log, refusal)
    if isinstance(refusal, TooEarly):
        return park(log, "waiting_approval", {"what": "waiting_time"}, seconds=1)
    if isinstance(refusal, BudgetExhausted):
        return pause(log, "budget_exhausted", str(refusal))
    if isinstance(refusal, DigestMismatch):
        raise_alert(log, "digest_mismatch", str(refusal), {"proposal_id": pending.proposal_id})
    code = type(refusal).__name__
    lapse(log, pending, code, {"detail": str(refusal)})
    if isinstance(refusal, DigestMismatch):
        pause(log, "checksum_mismatch", str(refusal))
    elif isinstance(refusal, Stopped):
        pause(log, "stop", str(refusal))


def verify(log: Log) -> None:
    """Read the world again. Only what was seen there counts, never the answer to the call."""
    pending = log.position.in_hand
    action = actions.get(pending.action, pending.action_version)
    args = actions.thawed(action, pending.arguments)
    seen = _look(action, args, pending)
    if seen.verification == "not_yet" and _too_late(pending):
        seen = Verified(verification="unverifiable", expected=seen.expected, observed=seen.observed)
    log.write(
        "effect_verified",
        {
            "effect_id": pending.effect_id,
            "verification": seen.verification,
            "expected": seen.expected,
            "observed": seen.observed,
        },
    )
    reach("verified")
    if seen.verification == "not_yet":
        _look_again_later(log)


def _look(action: Action, args: Any, pending: Pending) -> Verified:
    """A target that cannot be read has not shown anything yet."""
    try:
        seen = action.verify(args, resource_id=pending.resource_id)
        return replace(seen, expected=as_said(seen.expected), observed=as_said(seen.observed))
    except Exception as problem:
        return Verified(verification="not_yet", observed=f"{type(problem).__name__}: {problem}")


def _too_late(pending: Pending) -> bool:
    return datetime.fromisoformat(pending.verify_by) <= clock.now()


def _look_again_later(log: Log) -> None:
    status = "rolling_back" if log.position.status == "rolling_back" else "waiting_external"
    park(log, status, {"what": "verification"}, seconds=back_off(log.position.in_hand.tries))


def commit(log: Log) -> None:
    """Verification passed, or a named person has accepted it: committed, and the run moves on."""
    pending = log.position.in_hand
    log.write(
        "effect_committed",
        {
            "effect_id": pending.effect_id,
            "compensates": pending.compensates,
            "action": pending.action,
            "resource_id": pending.resource_id,
            "result_ref": pending.result_ref,
            "node": None if pending.is_rollback else pending.then,
            "left": None if pending.is_rollback else inverses.left_behind(pending),
        },
        boundary=True,
    )
    reach("committed")


def settle_failure(log: Log) -> None:
    """The target said no: surely nothing happened."""
    pending = log.position.in_hand
    if pending.is_rollback:
        return rollback_stuck(log, f"The target refused the rollback ({pending.outcome}).")
    leave(log, pending, "effect_failed", ended="failed")


def settle_unverified(log: Log) -> None:
    """It may have happened, in part or wholly; nobody can see it. A person must."""
    pending = log.position.in_hand
    if pending.is_rollback:
        return rollback_stuck(log, "The rollback could not be verified.")
    summary = f"Verification of {pending.action} ended as {pending.stage}; nothing is rolled back."
    details = {"expected": pending.expected, "observed": pending.observed}
    raise_alert(log, "verification_failed", summary, details)
    pause(log, "verification_failed", summary)


def rollback_refused(log: Log, refusal: Exception) -> None:
    """A rollback was not let through. A stop holds it up; anything else needs a person."""
    if isinstance(refusal, Stopped):
        return pause(log, "stop", str(refusal))
    rollback_stuck(log, f"The rollback was not let through: {refusal}")


def rollback_stuck(log: Log, summary: str) -> None:
    pending = log.position.pending
    seen = pending and {"expected": pending.expected, "observed": pending.observed}
    _rollback_failed(log, summary, seen or {})


def _rollback_failed(log: Log, summary: str, details: Facts) -> None:
    """A person is called, with what became of every effect of the run."""
    raise_alert(log, "rollback_failed", summary, details)
    account = carried_out.account(carried_out.of(log.position))
    pause(log, "rollback_failed", summary, effects=account)
