"""Proposals: fix what is shown, wait for a decision, act on a refusal.

`why_not_decide` is the one rule about who may decide, for every route; the doors ask the same
function again when deciding and at the gate.
"""

import secrets
import uuid
from datetime import datetime, timedelta
from typing import Any

from . import actions, conf
from .canonical import as_said, digest_of, frozen, sha256_hex, storable
from .concealing import struck
from .errors import Incompatible, NotPermitted, RuleChanged, Stopped
from .eventlog import Log
from .lifecycle import OutsideFailed, end, outside, overdue, park, pause, take_answer
from .store import deciding, policies, rejections
from .types import Facts, Pending, Position


def why_not_decide(person_id: int, version_id: uuid.UUID) -> str | None:
    """Why this person may not decide this proposal version now; None when they may."""
    return deciding.why_not_decide(person_id, version_id)


def challenge(action: actions.Action, args: Any, rule: Facts) -> str | None:
    """What a reviewer must type to approve: the operative value, where the effect cannot be taken
    back, its risk is high or the rule says so; None elsewhere. Raises BadInput where it could not
    be typed."""
    declared = action.rollback.kind == "none" or action.risk == "high"
    if declared or rule["challenge"] == "always":
        return actions.typable(action, args)
    return None


def must_be_typable(action: actions.Action, args: Any) -> None:
    """Told to who asks, before anything is written. Raises BadInput where a reviewer would have to
    type what nobody could."""
    policy = policies.rule_in_force(action.name, action.risk)
    challenge(action, args, policy["rule"] if policy else {"challenge": "declared"})


def idempotency_key(run_id: uuid.UUID, pending: Pending) -> str:
    """SHA-256 (hex) of the RFC 8785 array [run, step, action, arguments].

    A later version of a proposal is another step of its own (`…#2`): a key that was once
    prepared is never lent to another approval, even when the arguments are the same.
    """
    step = pending.step_id if pending.version == 1 else f"{pending.step_id}#{pending.version}"
    action = f"{pending.action}@{pending.action_version}"
    return sha256_hex(frozen([str(run_id), step, action, pending.arguments]))


def policy_for(action: actions.Action) -> Facts:
    """The version of the policy in force, and its rule for this action. Raises NotPermitted."""
    policy = policies.rule_in_force(action.name, action.risk)
    if policy is None:
        raise NotPermitted("No policy is in force: nothing can be proposed.")
    return policy


def open_proposal(log: Log) -> None:
    """Capture the precondition, freeze all that will be shown, and ask."""
    position, pending = log.position, log.position.in_hand
    action = actions.get(pending.action, pending.action_version)
    policy = policy_for(action)
    facts = outside(lambda: _shown(position, pending, action, policy))
    try:
        log.write("proposal_opened", facts)
    except Stopped as refusal:
        pause(log, "stop", str(refusal))
    except RuleChanged:
        return  # the policy was changed at this moment: it is asked under the rule in force now


def _shown(
    position: Position, pending: Pending, action: actions.Action, policy: Facts
) -> dict[str, Any]:
    args = actions.thawed(action, pending.arguments)
    both = _shown_and_kept(position, pending, action, policy) | {
        "precondition": as_said(action.precondition(args))
    }
    terms = _without_secrets(
        {
            **both,
            **_about_the_effect(action, args),
            **_about_the_request(position, pending),
            "challenge": challenge(action, args, policy["rule"]),
            "rollback": {**action.rollback.shown(), "reason": pending.rollback_reason},
            "rule": policy["rule"],
        }
    )
    return {
        **both,
        **_as_asked(pending),
        "id": str(uuid.uuid4()),
        "terms": terms.decode(),
        "digest": digest_of(pending.arguments.encode(), terms),
        "wait_seconds": policy["rule"]["wait_seconds"],
        "lot": lot(),
    }


def _shown_and_kept(
    position: Position, pending: Pending, action: actions.Action, policy: Facts
) -> dict[str, Any]:
    """What stands in the terms, and in the event beside them."""
    return {
        "agent": position.initiator,
        "evidence": list(pending.evidence),
        "idempotency_key": idempotency_key(position.run_id, pending),
        "policy_version": policy["version"],
        "risk": action.risk,
        "valid_until": _valid_until(policy, pending),
        "why": pending.why,
    }


def _about_the_effect(action: actions.Action, args: Any) -> dict[str, Any]:
    change = action.preview(args)
    return {
        "action": action.label(),
        "change": {"before": change.before, "after": change.after},
        "headline": action.describe(args),
        "target": action.target(args),
        "target_class": action.target_class,
        "title": action.title,
        "verification": action.verification,
    }


def _about_the_request(position: Position, pending: Pending) -> dict[str, Any]:
    return {
        "carried_over": list(pending.carried_over),
        "despite": _despite(pending),
        "editors": list(pending.editors),
        "proposal": [pending.proposal_id, pending.version],
        "repeats": _repeats(position, pending),
        "run": str(position.run_id),
        "stands_on": position.stands_on,
        "step": pending.step_id,
        "workflow": f"{position.workflow} v{position.workflow_version}",
    }


def _as_asked(pending: Pending) -> dict[str, Any]:
    names = (
        "proposal_id",
        "version",
        "step_id",
        "tool_call_id",
        "action",
        "action_version",
        "arguments",
    )
    return {name: getattr(pending, name) for name in names}


def lot() -> int:
    """Drawn for every version, and used where an exemption would let it through: some of these are
    asked of people all the same, and nobody can tell beforehand which."""
    return secrets.randbelow(2**31)


def _repeats(position: Position, pending: Pending) -> list[Facts]:
    """What the run's origin did after the fork with the same action and arguments: to approve
    this is to do it again."""
    asked = {"action": pending.action, "request_hash": sha256_hex(pending.arguments.encode())}
    return [done for done in position.done_elsewhere if asked.items() <= done.items()]


def _despite(pending: Pending) -> Facts | None:
    """The rejection of the same that the agent names, and what it says has changed since."""
    if pending.despite is None:
        return None
    rejected = rejections.rejection(uuid.UUID(pending.despite)) or {}
    return {**rejected, "what_changed": pending.what_changed}


def _without_secrets(shown: Facts) -> bytes:
    """Frozen, storable, and free of what an action's words may have repeated of a secret."""
    return struck(frozen(storable(shown)).decode()).encode()


def _valid_until(policy: Facts, pending: Pending) -> str:
    """The rule's time limit; who asks may ask for less of it, never for more."""
    limit = policy["rule"]["time_limit_seconds"]
    seconds = min(pending.valid_seconds or limit, limit)
    return (datetime.fromisoformat(policy["now"]) + timedelta(seconds=seconds)).isoformat()


def wait_for_decision(log: Log) -> None:
    """Park; a decision or the proposal's expiry wakes the run."""
    pending = log.position.in_hand
    park(log, "waiting_approval", {"what": "decision", "proposal_id": pending.proposal_id})


def look_at_premises(log: Log) -> None:
    """Read the world once more for whoever decides. That it cannot be read is told, and no more:
    nothing hangs on it before the gate."""
    pending = log.position.in_hand
    found, problem = None, None
    try:
        action = actions.get(pending.action, pending.action_version)
        args = actions.thawed(action, pending.arguments)
        found = as_said(outside(lambda: action.precondition(args)))
    except (OutsideFailed, Incompatible) as failure:
        problem = str(failure)
    facts = {"id": pending.version_id, "proposal_id": pending.proposal_id}
    told = {"version": pending.version, "found": found, "problem": problem}
    log.write("premises_read", {**facts, **told})


def wait_for_answer(log: Log) -> None:
    """A reviewer asked something: the agent answers with a new version, or the wait runs out."""
    pending = log.position.in_hand
    if _answered(log.position, pending):
        return take_answer(log, pending)
    if overdue(log.position, "answer"):
        return settle_refusal(log)
    awaiting = {"what": "answer", "proposal_id": pending.proposal_id}
    park(log, "waiting_external", awaiting, seconds=conf.agent_wait_seconds())


def _answered(position: Position, pending: Pending) -> bool:
    first = position.requests[0] if position.requests else {}
    return (
        first.get("proposal_id") == pending.proposal_id
        and first.get("answers_version") == pending.version
    )


def settle_refusal(log: Log) -> None:
    """Rejected, expired or withdrawn: nothing ran, and nothing of it ever will."""
    pending = log.position.in_hand
    stage = "expired" if pending.stage == "returned" else pending.stage
    leave(log, pending, stage, ended="cancelled")


def leave(log: Log, pending: Pending, reason: str, *, ended: str) -> None:
    """Go on without the effect: where the node said, back to the agent, or to the end."""
    if pending.otherwise is not None:
        log.write("run_moved", {"node": pending.otherwise, "set": {"refused": reason}})
    elif pending.then is None:
        log.write("run_moved", {"refused": reason})
    else:
        end(log, ended, reason=reason)
