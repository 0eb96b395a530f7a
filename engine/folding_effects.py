"""What the events of requests, proposals, effects and alerts make of a run's position: the part of
`folding` that has an effect in hand."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from . import budgets
from . import folding_rollbacks as rollbacks
from .canonical import packed, sha256_hex
from .folding_steps import Folded, arriving, stepped, stepped_only, unchanged
from .types import Event, Facts, Pending, Position


def _authorised(position: Position, event: Event) -> Position:
    """By the plan that was part of the decision; or by an operator, whose word names effects."""
    if "covers" not in event.payload:
        return stepped_only(position, event)
    return rollbacks.authorised(position, event)


def _begun(position: Position, event: Event) -> Position:
    return stepped(rollbacks.begun(position), event.payload)


def _retracted(position: Position, event: Event) -> Position:
    return stepped(position, event.payload, pending=_staged(position, "withdrawn"))


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
    return stepped(position, facts, requests=requests, ordinal=ordinal, pending=pending, failures=0)


def _request_dropped(position: Position, event: Event) -> Position:
    return stepped(position, event.payload, requests=position.requests[1:])


def _opened(position: Position, event: Event) -> Position:
    facts = event.payload
    pending = replace(
        position.in_hand,
        stage="open",
        version_id=facts["id"],
        digest=facts["digest"],
        idempotency_key=facts["idempotency_key"],
        precondition=facts["precondition"],
        wait_seconds=facts["wait_seconds"],
    )
    return stepped(position, facts, pending=pending, failures=0)


def _decided(stage: str) -> Folded:
    def handler(position: Position, event: Event) -> Position:
        pending = position.pending
        if pending is None or pending.version_id != event.payload["id"]:
            return position
        at = event.at if stage == "approved" else ""
        pending = replace(
            pending, stage=stage, question=event.payload.get("question"), approved_at=at
        )
        return replace(position, pending=pending)

    return handler


def _lapsed(position: Position, event: Event) -> Position:
    """Back to the reviewer as a new version of the same request."""
    return stepped(position, event.payload, pending=_next_version(position.in_hand))


def _lapsed_under_a_stop(position: Position, event: Event) -> Position:
    """The same, undecided or approved, and whatever the run is doing."""
    pending = position.pending
    if pending is None or pending.version_id != event.payload["id"]:
        return position
    return replace(position, pending=_next_version(pending))


def _premises_asked(position: Position, event: Event) -> Position:
    """Somebody who decides wants the world looked at first."""
    pending = position.pending
    if pending is None or pending.version_id != event.payload["id"]:
        return position
    return replace(position, pending=replace(pending, look_for=event.actor))


def _premises_read(position: Position, event: Event) -> Position:
    pending = replace(position.in_hand, look_for="")
    return stepped(position, event.payload, pending=pending)


def _edited(position: Position, event: Event) -> Position:
    """The same request with the arguments that a reviewer wrote, asked anew."""
    pending, facts = position.pending, event.payload
    if pending is None or pending.version_id != facts["id"]:
        return position
    editor = {"person": facts["person"], "name": facts["person_name"]}
    others = tuple(one for one in pending.editors if one["person"] != editor["person"])
    editors = (*others, editor)
    pending = _next_version(pending, arguments=facts["arguments"], editors=editors)
    return replace(position, pending=pending)


def _next_version(pending: Pending, **changes: Any) -> Pending:
    """The same request, of which nothing has been shown yet."""
    unshown = {
        "stage": "requested",
        "version": pending.version + 1,
        "version_id": None,
        "digest": None,
        "idempotency_key": "",
        "precondition": None,
        "effect_id": None,
        "approved_at": "",
        "attempt": 1,
        "tries": 0,
        "carried_over": (),
        "look_for": "",
    }
    return Pending.from_facts({**pending.as_facts(), **unshown, **changes})


def asked_anew(pending: Pending | None, facts: Facts) -> Pending | None:
    """What goes on of the request in hand when its run is taken along to other versions."""
    if pending is None or facts["goes_on_as"] is None:
        return None
    request = {name: facts[name] for name in ("action_version", "arguments")}
    if facts["id"] is not None:
        return _next_version(pending, **request, carried_over=facts["changed"])
    changed = (*pending.carried_over, *facts["changed"])
    return replace(pending, **request, carried_over=changed)


def _prepared(position: Position, event: Event) -> Position:
    facts = event.payload
    base = position.pending if facts.get("compensates") is None else None
    pending = Pending.from_facts(
        {**(base.as_facts() if base else {}), **facts, "stage": "prepared", "attempt": 1}
    )
    unwinding = position.unwinding
    if unwinding and facts.get("compensates"):
        unwinding = rollbacks.without(unwinding, facts["compensates"])
    return stepped(position, facts, pending=pending, unwinding=unwinding)


def _intended(position: Position, event: Event) -> Position:
    return stepped(position, event.payload, pending=_staged(position, "executing"), failures=0)


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
    return stepped(position, {}, pending=pending)


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
    return stepped(position, facts, pending=pending)


def _committed(position: Position, event: Event) -> Position:
    facts = event.payload
    changes: dict[str, Any] = {"pending": None}
    if facts.get("compensates") is None:
        changes["completed"] = _completed(position.completed, facts)
        changes["budget"] = budgets.spent(position.budget, {"effects": 1})
    else:
        changes["completed"] = rollbacks.taken_back(position.completed, facts["compensates"])
    return stepped(position, facts, **arriving(position, facts, **changes))


def _alerted(position: Position, event: Event) -> Position:
    pending = position.pending
    if pending and pending.effect_id == event.payload.get("effect_id"):
        pending = replace(pending, alerted=(*pending.alerted, event.payload["kind"]))
    unwinding = position.unwinding
    if unwinding and event.payload["kind"] == "rollback_failed":
        unwinding = {**unwinding, "told": True}
    return stepped(position, event.payload, pending=pending, unwinding=unwinding)


def _completed(completed: Facts, facts: Facts) -> Facts:
    earlier = sha256_hex(packed(completed)) if completed else None
    latest = {key: facts.get(key) for key in ("effect_id", "action", "resource_id", "result_ref")}
    return {"count": completed.get("count", 0) + 1, "latest": latest, "earlier": earlier}


def _staged(position: Position, stage: str) -> Pending:
    return replace(position.in_hand, stage=stage)


FOLDS: Mapping[str, Folded] = {
    "effect_requested": _requested,
    "request_taken_up": _taken_up,
    "request_dropped": _request_dropped,
    "request_refused": unchanged,
    "proposal_opened": _opened,
    "proposal_approved": _decided("approved"),
    "proposal_exempted": _decided("approved"),
    "proposal_drawn": unchanged,
    "proposal_rejected": _decided("rejected"),
    "proposal_returned": _decided("returned"),
    "proposal_expired": _decided("expired"),
    "proposal_withdrawn": _decided("withdrawn"),
    "proposal_retracted": _retracted,
    "decision_made": unchanged,
    "decision_refused": unchanged,
    "proposal_claimed": unchanged,
    "claim_released": unchanged,
    "proposal_reminded": unchanged,
    "proposal_escalated": unchanged,
    "approval_lapsed": _lapsed,
    "proposal_lapsed": _lapsed_under_a_stop,
    "proposal_edited": _edited,
    "premises_asked": _premises_asked,
    "premises_read": _premises_read,
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
    "alert_acknowledged": unchanged,
    "alert_reopened": unchanged,
    "alert_resolved": unchanged,
    "late_answer": unchanged,
}
