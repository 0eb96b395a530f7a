"""The stop: nothing new begins in its scope while it stands."""

import uuid
from datetime import datetime, timedelta

from engine import actions, states, workflows
from engine.canonical import check
from engine.errors import BadInput, NotFound
from engine.store import stops
from engine.types import Facts

from .reasons import must_have_a_reason
from .who import Speaker

TO_AGREE = timedelta(hours=1)
"""How long another person has to agree that everything may go on."""


def stop(
    speaker: Speaker, reason: str, *, scope: str = states.EVERYTHING, rollbacks_run: bool = False
) -> uuid.UUID:
    """Nothing new begins in `scope` from this commit on: everything, or `workflow:NAME`,
    `action:NAME`, `agent:NAME`, `run:ID`. Operators, administrators and commands may.

    Raises BadInput for a scope that there is not, Conflict when it is stopped already,
    NotPermitted.
    """
    must_have_a_reason(reason)
    _must_be_a_scope(scope)
    return stops.place_stop(speaker.actor, speaker.person_id, scope, reason, rollbacks_run)


def stop_everything(speaker: Speaker, reason: str, *, rollbacks_run: bool = False) -> uuid.UUID:
    """The stop with the widest scope."""
    return stop(speaker, reason, rollbacks_run=rollbacks_run)


def stop_over(version_id: uuid.UUID) -> Facts | None:
    """The scope and the reason of a stop under which this proposal version is not approved."""
    return stops.stop_over(version_id)


def go_on(
    speaker: Speaker, reason: str, *, scope: str = states.EVERYTHING, agrees: bool = False
) -> bool:
    """Lift the stop of that scope; whether it is lifted now.

    That everything goes on takes two: one asks (False comes back), and another one agrees within
    `TO_AGREE`. All who sit at the machine itself are one voice. Raises Conflict when there is no
    such stop, when somebody asks who has only to agree, or agrees where nobody else asked.
    """
    must_have_a_reason(reason)
    return stops.lift_stop(speaker.actor, speaker.person_id, scope, reason, agrees, TO_AGREE)


def _must_be_a_scope(scope: str) -> None:
    """A misspelt name would stop nothing, and somebody would believe that it did."""
    check(scope, "$.scope")
    kind, _colon, name = scope.partition(":")
    if scope == states.EVERYTHING or (kind == "agent" and name):
        return
    if kind not in states.STOP_KINDS or not name:
        kinds = ", ".join(f"{kind}:…" for kind in states.STOP_KINDS)
        raise BadInput(f"A stop is for {states.EVERYTHING}, or for {kinds}.", path="$.scope")
    if not _EXISTS[kind](name):
        raise BadInput(f"There is no {kind} {name!r}.", path="$.scope")


def _is_run(name: str) -> bool:
    try:
        return stops.is_run(uuid.UUID(name))
    except ValueError:
        return False


_EXISTS = {
    "workflow": lambda name: any(known == name for known, _version in workflows.registered()),
    "action": lambda name: any(action.name == name for action in actions.registered()),
    "run": _is_run,
}


def halt_receipt(stop_id: uuid.UUID) -> Facts:
    """What became of every effect under way when the stop was placed: `done`, `not started` or
    `unknown`, those still `under way`, the seconds to the safe state (None until reached), and
    how many unfinished runs are in its scope."""
    found = stops.halt_receipt(stop_id)
    if found is None:
        raise NotFound("There is no such stop.")
    effects_told = [{**effect, "told": _TOLD[effect["status"]]} for effect in found["effects"]]
    under_way = any(effect["told"] == "under way" for effect in effects_told)
    settled = [effect["settled_at"] for effect in effects_told if effect["settled_at"]]
    last = max([found["placed_at"], *settled])
    seconds = datetime.fromisoformat(last) - datetime.fromisoformat(found["placed_at"])
    return {
        **found,
        "effects": effects_told,
        "seconds_to_safe": None if under_way else seconds.total_seconds(),
    }


_TOLD = {
    "prepared": "not started",
    "executing": "under way",
    "unknown": "unknown",
    "succeeded": "done",
    "compensated": "done",
    "failed": "not started",
}
