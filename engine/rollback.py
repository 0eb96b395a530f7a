"""Take back an effect that the world shows to be wrong. A rollback is itself an effect."""

import uuid
from typing import Any

from . import actions, inverses
from .canonical import sha256_hex
from .eventlog import Log
from .execution import REFUSALS, rollback_refused, rollback_stuck
from .inverses import Effect
from .lifecycle import outside, pause, raise_alert
from .types import Facts, Pending


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
    prepare(log, pending)


def _authorise(log: Log, pending: Pending) -> None:
    """The plan was part of the digest: the decision that allowed the act allows taking it back."""
    facts = {"effect_id": pending.effect_id, "digest": pending.digest}
    rests_on = {"rests_on": f"proposal {pending.proposal_id} version {pending.version}"}
    log.write("rollback_authorised", {**facts, **rests_on, "status": "rolling_back"})


def prepare(log: Log, effect: Effect, left: Facts | None = None) -> None:
    """The rollback exists from here on; nothing has been sent.

    Its precondition is how the effect left its object (`left`), where that was seen.
    """
    facts = outside(lambda: _rollback_of(effect, left))
    try:
        log.write("effect_prepared", facts, boundary=True)
    except REFUSALS as refusal:
        rollback_refused(log, refusal)


def _rollback_of(effect: Effect, left: Facts | None) -> dict[str, Any]:
    inverse, arguments = inverses.made_for(effect)
    return {
        "effect_id": str(uuid.uuid4()),
        "compensates": effect.effect_id,
        "step_id": effect.step_id,
        "action": inverse.name,
        "action_version": inverse.version,
        "arguments": arguments.decode(),
        "request_hash": sha256_hex(arguments),
        "idempotency_key": inverses.rollback_key(effect.effect_id),
        "precondition": inverses.found_by(inverse, arguments) if left is None else left,
    }
