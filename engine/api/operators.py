"""What operators do: settle what nobody can tell, answer alerts, pause, resume and cancel runs."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from engine import actions, budgets, conf, states
from engine.canonical import check, packed
from engine.errors import BadInput, NotFound
from engine.hints import hint, hint_at
from engine.store import alerts, control, effects, resolutions, runs
from engine.types import Facts

from .reasons import kept_evidence, must_have_a_reason, must_have_evidence
from .who import Reviewer


def resume_run(run_id: uuid.UUID, *, reviewer: Reviewer, reason: str) -> None:
    """Let a paused run go on, with a reason, and its branches that stand still since it does. What
    is pending is looked at again; nothing is repeated without passing the gate. Raises Conflict
    unless the run is paused."""
    must_have_a_reason(reason)
    facts = {**_person(reviewer), "reason": reason}
    told = runs.resume_run(run_id, reviewer.actor, packed(facts))
    hint(run_id)
    hint_at(told)


def pause_run(run_id: uuid.UUID, *, operator: Reviewer, reason: str) -> None:
    """Have a run and its branches stand still before their next step; an effect under way is
    finished first.

    Raises Conflict when it stands still already, Terminal when it has ended.
    """
    _ask(run_id, "pause_requested", operator, reason)


def cancel_run(run_id: uuid.UUID, *, operator: Reviewer, reason: str) -> None:
    """End a run and its branches; an effect under way is settled first, what is merely proposed is
    withdrawn.

    Raises Conflict while it is being rolled back, Terminal when it has ended.
    """
    _ask(run_id, "cancel_requested", operator, reason)


def raise_budget(run_id: uuid.UUID, budget: Facts, *, operator: Reviewer, reason: str) -> None:
    """Give a run other limits: those named in `budget`, and the rest as the default has them; of a
    branch, the rest as it had them, and the runs above it are given what it gets more.

    A run that is paused for want of budget goes on. Raises BadInput, NotPermitted, Terminal;
    Conflict where limits were lowered under branches.
    """
    must_have_a_reason(reason)
    checked = budgets.checked(budget)
    *above, own = control.budgets_above(run_id) or _nothing_found()
    limits = {**(own["budget"] if above else conf.default_budget()), **checked}
    facts = {**_person(operator), "reason": reason, "had": own["budget"], "budget": limits}
    raised = [_raised(one, own["budget"], limits) for one in above]
    control.raise_budget(run_id, operator.actor, packed(facts), raised)
    hint(run_id)


def _nothing_found() -> NoReturn:
    raise NotFound("There is no such run.")


def _raised(one: Facts, had: Facts, limits: Facts) -> Facts:
    """A run above a branch, with what that gets more."""
    budget = budgets.raised_with(one["budget"], had, limits)
    return {"run_id": one["run_id"], "had": one["budget"], "budget": budget}


def _ask(run_id: uuid.UUID, kind: str, operator: Reviewer, reason: str) -> None:
    must_have_a_reason(reason)
    facts = {**_person(operator), "reason": reason}
    told = control.ask_of_run(run_id, kind, operator.actor, packed(facts))
    hint(run_id)
    hint_at(told)


def probe_again(run_id: uuid.UUID, effect_id: uuid.UUID, *, operator: Reviewer) -> None:
    """Have a worker ask the target by key once more. Read-only at the target."""
    facts = {**_person(operator), "effect_id": str(effect_id)}
    resolutions.request_probe(run_id, operator.actor, packed(facts))
    hint(run_id)


def resolve_effect(
    run_id: uuid.UUID,
    effect_id: uuid.UUID,
    *,
    operator: Reviewer,
    resolution: str,
    reason: str,
    seen_evidence: str = "",
    resource_id: str | None = None,
    until: datetime | None = None,
) -> None:
    """Rule what became of an unknown effect: happened, did_not_happen, partly or keep_waiting.

    Every ruling but to keep waiting needs evidence; "happened" and "partly" need the resource's
    id; waiting needs `until`. "It did not happen" raises Conflict before deadline and margin.
    """
    _check_ruling(resolution, reason, seen_evidence, resource_id, until)
    kept = kept_evidence(operator, seen_evidence)
    facts = {
        **_person(operator),
        "effect_id": str(effect_id),
        "resolution": resolution,
        "status": states.RESOLUTIONS[resolution],
        "outcome": f"{operator.name}: {resolution.replace('_', ' ')}",
        "reason": reason,
        "evidence": kept,
        "resource_id": resource_id or None,
        "until": until.isoformat() if until else None,
        "margin_seconds": conf.margin_seconds(),
        "verify_by": _verify_by(effect_id),
    }
    resolutions.resolve_effect(run_id, operator.actor, packed(facts))
    hint(run_id)


def accept_effect(
    run_id: uuid.UUID,
    effect_id: uuid.UUID,
    *,
    operator: Reviewer,
    reason: str,
    seen_evidence: str,
) -> None:
    """Accept in one's own name, with evidence, an effect that verification did not show to be as
    approved: it is committed as it is. Raises Conflict unless its run is paused for that."""
    must_have_a_reason(reason)
    must_have_evidence(seen_evidence)
    facts = {
        **_person(operator),
        "effect_id": str(effect_id),
        "reason": reason,
        "evidence": kept_evidence(operator, seen_evidence),
    }
    resolutions.accept_effect(run_id, operator.actor, packed(facts))
    hint(run_id)


def _verify_by(effect_id: uuid.UUID) -> str:
    """Verification gets its whole time anew, from the ruling on."""
    name, version = effects.effect_action(effect_id)
    seconds = actions.get(name, version).verify_seconds
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def _check_ruling(
    resolution: object, reason: str, seen: str, resource_id: str | None, until: datetime | None
) -> None:
    if not isinstance(resolution, str) or resolution not in states.RESOLUTIONS:
        names = ", ".join(states.RESOLUTIONS)
        raise BadInput(f"A ruling is one of: {names}.", path="$.resolution")
    must_have_a_reason(reason)
    for name, text in (("evidence", seen), ("resource_id", resource_id or "")):
        check(text, f"$.{name}")
    if resolution == "keep_waiting":
        if until is None or until <= datetime.now(UTC):
            raise BadInput("Say until when, in the future.", path="$.until")
        return
    must_have_evidence(seen)
    if resolution in ("happened", "partly") and not (resource_id or "").strip():
        raise BadInput("Name the resource at the target.", path="$.resource_id")


def acknowledge_alert(
    run_id: uuid.UUID,
    alert_id: uuid.UUID,
    *,
    operator: Reviewer,
    cause: str,
    next_step: str,
    due_at: datetime,
) -> None:
    """Take an open alert on: the cause, the next step, and until when it will be done."""
    for name, text in (("cause", cause), ("next_step", next_step)):
        check(text, f"$.{name}")
        if not text.strip():
            raise BadInput("Say it in a few words.", path=f"$.{name}")
    if due_at <= datetime.now(UTC):
        raise BadInput("Name a time in the future.", path="$.due_at")
    facts = {
        **_person(operator),
        "alert_id": str(alert_id),
        "cause": cause,
        "next_step": next_step,
        "due_at": due_at.isoformat(),
    }
    alerts.acknowledge_alert(run_id, operator.actor, packed(facts))


def resolve_alert(
    run_id: uuid.UUID, alert_id: uuid.UUID, *, operator: Reviewer, resolution: str
) -> None:
    """Say that an acknowledged alert is dealt with, and how."""
    check(resolution, "$.resolution")
    if not resolution.strip():
        raise BadInput("Say how it was dealt with.", path="$.resolution")
    facts = {**_person(operator), "alert_id": str(alert_id), "resolution": resolution}
    alerts.resolve_alert(run_id, operator.actor, packed(facts))


def _person(operator: Reviewer) -> dict[str, Any]:
    return {"person": operator.person_id, "person_name": operator.name}
