"""Take back an effect that the world shows to be wrong. A rollback is itself an effect."""

import json
import uuid
from typing import Any

from . import actions
from .canonical import frozen, sha256_hex, storable
from .errors import NotFound
from .eventlog import Log
from .execution import REFUSALS, rollback_refused, rollback_stuck
from .lifecycle import end, outside, pause, raise_alert
from .store import alerts
from .types import Pending


def settle_mismatch(log: Log) -> None:
    """A proven mismatch: an alert, then the plan that the reviewer was shown."""
    pending = log.position.in_hand
    if pending.is_rollback:
        return rollback_stuck(log, "After the rollback the target still differs.")
    details = {"expected": pending.expected, "observed": pending.observed}
    summary = f"{pending.action} did not do what was approved."
    raise_alert(log, "verification_failed", summary, details)
    plan = actions.get(pending.action, pending.action_version).rollback
    if plan.inverse is None:
        return pause(log, "verification_failed", f"{summary} {plan.summary}")
    if pending.result_ref is None:
        by_hand = "What the target answered is not known: take it back by hand."
        return pause(log, "verification_failed", f"{summary} {by_hand}")
    if log.position.status != "rolling_back":
        _authorise(log, pending)
    _prepare(log, pending, plan)


def _authorise(log: Log, pending: Pending) -> None:
    """The plan was part of the digest: the decision that allowed the act allows taking it back."""
    facts = {"effect_id": pending.effect_id, "digest": pending.digest}
    rests_on = {"rests_on": f"proposal {pending.proposal_id} version {pending.version}"}
    log.write("rollback_authorised", {**facts, **rests_on, "status": "rolling_back"})


def _prepare(log: Log, pending: Pending, plan: actions.RollbackPlan) -> None:
    facts = outside(lambda: _rollback_of(pending, plan))
    try:
        log.write("effect_prepared", facts, boundary=True)
    except REFUSALS as refusal:
        rollback_refused(log, refusal)


def _rollback_of(pending: Pending, plan: actions.RollbackPlan) -> dict[str, Any]:
    forward = actions.get(pending.action, pending.action_version)
    args = actions.thawed(forward, pending.arguments)
    inverse, given = plan.made_for(args, pending.resource_id, _result(pending))
    arguments = actions.freeze(inverse, given)
    return {
        "effect_id": str(uuid.uuid4()),
        "compensates": pending.effect_id,
        "step_id": pending.step_id,
        "action": inverse.name,
        "action_version": inverse.version,
        "arguments": arguments.decode(),
        "request_hash": sha256_hex(arguments),
        "idempotency_key": rollback_key(pending),
        "precondition": storable(inverse.precondition(actions.thawed(inverse, arguments))),
    }


def rollback_key(pending: Pending) -> str:
    """SHA-256 (hex) of the RFC 8785 array ["rollback", effect_id]."""
    return sha256_hex(frozen(["rollback", pending.effect_id]))


def _result(pending: Pending) -> Any:
    """What the target answered to the act, from the evidence kept of it."""
    body = alerts.evidence_body(pending.result_ref) if pending.result_ref else None
    if body is None:
        raise NotFound("The evidence of the effect to take back is gone.")
    return json.loads(body)


def end_rollback(log: Log) -> None:
    """All is taken back: the run ends. Where earlier effects stand, a person says what now."""
    standing = log.position.completed.get("count", 0)
    if standing:
        return pause(log, "verification_failed", _what_stands(standing))
    end(log, "rolled_back")


def _what_stands(standing: int) -> str:
    return f"The last effect was rolled back; {standing} earlier effect(s) of this run stand."
