"""What would be taken back of a run, and how: looked at before anybody authorises it."""

import uuid
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from . import actions, concealing, inverses, states
from .canonical import frozen
from .errors import Conflict, Incompatible, NotFound
from .models import Run
from .store import rollbacks
from .types import CarriedOut, Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One effect of a run, or of a branch of it (`run_id`), as a rollback would find it.

    `how` is `machine` (a worker carries the plan out), `by_hand` (`why` says what a person does, or
    why nothing can be done) or `taken_back`. `changed` is what differs now from how the effect left
    its object; `unseen` says why that cannot be told.
    """

    effect_id: str
    run_id: str
    action: str
    action_version: int
    title: str
    kind: str
    summary: str
    by: str | None
    at: str
    how: str
    why: str = ""
    changed: Change | None = None
    unseen: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The steps in the order in which they would be taken, the latest effect first.

    `origin` is the run whose effects they are; one that has ended is rolled back by a new run.
    `last_seq` is the last event that the run had then.
    """

    run_id: uuid.UUID
    origin: uuid.UUID
    last_seq: int
    by_a_new_run: bool
    steps: tuple[Step, ...]

    def which(self, how: str) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.how == how)


def run_once(
    run_id: uuid.UUID, effect_ids: Collection[uuid.UUID] | None = None, *, look: bool = True
) -> Preview:
    """Sort out what a rollback of these effects, or of all, would do; `look` reads the targets.

    Raises NotFound for a run or an effect that there is not, Conflict for a rollback that would
    itself be rolled back.
    """
    run = _found(run_id)
    origin = uuid.UUID(run.labels["rolls_back"]) if run.workflow == "rollback" else run_id
    effects = _chosen(rollbacks.effects_carried_out(origin), effect_ids)
    return Preview(
        run_id=run_id,
        origin=origin,
        last_seq=run.last_seq,
        by_a_new_run=run.status in states.terminal(states.RUN),
        steps=tuple(_steps(effects, look)),
    )


def _found(run_id: uuid.UUID) -> Run:
    run = Run.objects.filter(pk=run_id).first()
    if run is None or run.workflow.startswith("system."):
        raise NotFound("There is no such run.")
    if run.workflow == "rollback" and run.ended_at is not None:
        raise Conflict("This run is a rollback itself; it is not rolled back in turn.")
    return run


def _chosen(
    effects: tuple[CarriedOut, ...], effect_ids: Collection[uuid.UUID] | None
) -> tuple[CarriedOut, ...]:
    if effect_ids is None:
        return effects
    wanted = {str(effect) for effect in effect_ids}
    chosen = tuple(one for one in effects if one.effect_id in wanted)
    if len(chosen) != len(wanted):
        raise NotFound("The run has carried out no such effect, or it is a rollback itself.")
    return chosen


def _steps(effects: Iterable[CarriedOut], look: bool) -> Iterator[Step]:
    """One by one; what a later effect has done to the same target hides what others did."""
    hidden: set[str] = set()
    for effect in effects:
        step, target = _step(effect)
        if look and step.how == "machine":
            step = _looked_at(step, effect, later=target in hidden)
        if effect.stands:
            hidden.add(target)
        yield step


def _step(effect: CarriedOut) -> tuple[Step, str]:
    try:
        action = actions.get(effect.action, effect.action_version)
    except Incompatible as problem:
        return _named(effect, None, "by_hand", problem.message), ""
    how, why = _how(effect, action.rollback)
    target = action.target(actions.thawed(action, effect.arguments))
    concealing.forget()
    return _named(effect, action, how, why), target


def _how(effect: CarriedOut, plan: actions.RollbackPlan) -> tuple[str, str]:
    if not effect.stands:
        return "taken_back", ""
    if plan.inverse is None:
        return "by_hand", plan.summary
    if effect.result_ref is None:
        return "by_hand", "What the target answered is not known: take it back by hand."
    if effect.rollback_status == "failed":
        return "by_hand", f"The target has refused its rollback ({effect.rollback_outcome})."
    return "machine", ""


def _named(effect: CarriedOut, action: actions.Action | None, how: str, why: str) -> Step:
    plan = action.rollback.shown() if action else {"kind": "none", "summary": why, "by": None}
    return Step(
        effect_id=effect.effect_id,
        run_id=effect.run_id,
        action=effect.action,
        action_version=effect.action_version,
        title=action.title if action else effect.action,
        at=effect.at,
        how=how,
        why=why,
        **plan,
    )


def _looked_at(step: Step, effect: CarriedOut, *, later: bool) -> Step:
    if later:
        return replace(step, unseen="A later effect changed the same target; that goes first.")
    if effect.left is None:
        return replace(step, unseen="How it left its target was not seen.")
    try:
        now = concealing.without_secrets(inverses.found_by(*inverses.made_for(effect)))
    except Exception as problem:
        return replace(step, unseen=f"The target cannot be read now ({type(problem).__name__}).")
    finally:
        concealing.forget()
    if frozen(now) == frozen(effect.left):
        return step
    return replace(step, changed=Change(before=effect.left, after=now))
