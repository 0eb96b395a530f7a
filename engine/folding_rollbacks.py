"""What the events of a rollback make of a run's position: the part of `folding` that unwinds."""

from dataclasses import replace
from typing import Any

from .types import Event, Facts, Pending, Position

_SEEN_WRONG = ("mismatch", "partial", "unverifiable")


def authorised(position: Position, event: Event) -> Position:
    """By an operator. A rollback already in hand goes on, unless the target refused it for good."""
    facts = event.payload
    pending = looked_at_again(position.pending)
    if pending is not None and pending.is_rollback and pending.stage == "failed":
        pending = None
    taken_up = pending.compensates if pending is not None else None
    covered = [one["effect_id"] for one in facts["covers"]]
    unwinding = {
        "origin": facts["origin"],
        "covers": covered,
        "by_hand": [one["effect_id"] for one in facts["by_hand"]],
        "left": [effect for effect in covered if effect != taken_up],
        "begun": taken_up is not None,
        "told": False,
    }
    return replace(position, pending=pending, unwinding=unwinding, asked=None, failures=0)


def begun(position: Position) -> Position:
    unwinding = {**(position.unwinding or {}), "begun": True}
    return replace(position, pending=None, awaiting=None, unwinding=unwinding)


def compensated(position: Position, event: Event) -> Position:
    """Taken back by hand, or by another run: nothing of it is left to do here."""
    effect = event.payload["effect_id"]
    pending = position.pending
    if pending is not None and effect in (pending.effect_id, pending.compensates):
        pending = None
    unwinding = without(position.unwinding or _NOTHING_ASKED, effect)
    return replace(
        position,
        pending=pending,
        unwinding=unwinding,
        completed=taken_back(position.completed, effect),
        failures=0,
    )


_NOTHING_ASKED: Facts = {
    "origin": None,
    "covers": [],
    "by_hand": [],
    "left": [],
    "begun": False,
    "told": False,
}


def without(unwinding: Facts, effect: str) -> dict[str, Any]:
    return {**unwinding, "left": [one for one in unwinding["left"] if one != effect]}


def taken_back(completed: Facts, effect: str) -> Facts:
    """The latest committed effect is named with what became of it."""
    latest = completed.get("latest")
    if not latest or latest["effect_id"] != effect:
        return completed
    return {**completed, "latest": {**latest, "compensated": True}}


def looked_at_again(pending: Pending | None) -> Pending | None:
    if pending is None:
        return None
    stage = "succeeded" if pending.stage in _SEEN_WRONG else pending.stage
    return replace(pending, stage=stage, tries=0, alerted=())
