"""Make recorded intent and observed world agree before a run goes on."""

import uuid
from typing import Any

from . import actions, conf, evidence
from .actions import Action
from .eventlog import Log
from .execution import rollback_stuck, succeeded
from .lifecycle import back_off, park, pause, raise_alert
from .store import effects
from .types import Facts, Finding, Pending

PATIENCE = 5
"""How often an unclear effect is looked at again before a person is asked."""


def reconcile(log: Log) -> None:
    """An effect that may have happened: ask the target by key, before anything else.

    Found → recorded as it is. Certainly absent, inside the target's window and past the deadline
    of the call → prepared again, under the same key. Otherwise it stays unknown.
    """
    pending = log.position.in_hand
    action = actions.get(pending.action, pending.action_version)
    # Before the target is asked: a call that could land while it is being asked is not absent.
    to_deadline = float(_clock(pending)["to_deadline"])
    finding = _ask(action, pending, log.lease.token)
    if finding.kind == "found":
        facts = succeeded(action, finding.resource_id, finding.result)
        return _write(log, pending, "found", {**facts, "outcome": "found by key"})
    if finding.kind == "absent" and action.target_class == "idempotent":
        return _absent(log, pending, action, to_deadline)
    _unclear(log, pending, action, finding)


def _ask(action: Action, pending: Pending, token: int) -> Finding:
    if action.target_class == "opaque":
        return Finding(kind="unclear", result="This target cannot be asked.")
    args = actions.thawed(action, pending.arguments)
    try:
        action.fence(args, key=pending.idempotency_key, fencing_token=token)
        return action.reconcile(args, key=pending.idempotency_key)
    except Exception as problem:
        return Finding(kind="unclear", result=f"{type(problem).__name__}: {problem}")


def _clock(pending: Pending) -> Facts:
    return effects.effect_clock(uuid.UUID(pending.effect_id))


def _absent(log: Log, pending: Pending, action: Action, to_deadline: float) -> None:
    """Absent is believed only when no call could arrive any more as the target was asked."""
    margin = conf.margin_seconds()
    if to_deadline + margin > 0:
        return _wait(log, to_deadline + margin)
    if float(_clock(pending)["since_first_sent"]) > action.dedupe_window - margin:
        return _unknown(log, pending, "absent", "The target may have forgotten the key.")
    window = {"window_seconds": action.dedupe_window, "margin_seconds": margin}
    _write(log, pending, "absent", {"status": "prepared", "outcome": "not sent", **window})


def _unclear(log: Log, pending: Pending, action: Action, finding: Finding) -> None:
    """Not found, or no answer, is no proof of absence."""
    ref = evidence.keep(finding.result)
    tries = pending.tries + 1
    _write(
        log,
        pending,
        finding.kind,
        {"status": "unknown", "outcome": "nobody knows", "result_ref": ref},
    )
    if action.target_class == "opaque" or tries >= PATIENCE:
        return _hand_over(log, "The target cannot say whether it happened.")
    _wait(log, back_off(tries))


def _unknown(log: Log, pending: Pending, finding: str, why: str) -> None:
    _write(log, pending, finding, {"status": "unknown", "outcome": why})
    _hand_over(log, why)


def _hand_over(log: Log, why: str) -> None:
    pending = log.position.in_hand
    if pending.is_rollback:
        return rollback_stuck(log, f"The rollback's outcome is unknown. {why}")
    raise_alert(log, "effect_unknown", why, {"idempotency_key": pending.idempotency_key})
    pause(log, "effect_unknown", why)


def _write(log: Log, pending: Pending, finding: str, facts: dict[str, Any]) -> None:
    head = {"effect_id": pending.effect_id, "attempt": pending.attempt, "finding": finding}
    log.write("effect_reconciled", {**head, **facts}, boundary=True)


def _wait(log: Log, seconds: float) -> None:
    rolling_back = log.position.in_hand.is_rollback
    status = "rolling_back" if rolling_back else "waiting_external"
    park(log, status, {"what": "reconciliation"}, seconds=seconds)
