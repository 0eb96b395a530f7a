"""What a rehearsal is, whatever plays it: what it needs, what it must show, and how it is kept."""

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from . import conf
from .actions import Action
from .canonical import packed, storable
from .store import rehearsals, stops

OWNER = "rehearsal:"
"""What the names of the workers begin with that may advance a rehearsal's run."""

INITIATOR = "system:rehearsal"
"""Who starts one. No agent's key speaks with a name of this kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One thing that happened in a rehearsal; `at` is RFC 3339."""

    at: str
    what: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """What must hold, and whether it did; `detail` is what was seen instead."""

    what: str
    holds: bool
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A rehearsal that has come to its end, good or bad. `recovery_seconds` is from the kill of
    the worker until its effect was committed by another one; None where it never was."""

    action: str
    action_version: int
    run_id: uuid.UUID | None
    started_at: datetime
    ended_at: datetime
    recovery_seconds: float | None
    timeline: Sequence[Moment]
    assertions: Sequence[Assertion]

    @property
    def passed(self) -> bool:
        return bool(self.assertions) and all(each.holds for each in self.assertions)


def why_not(action: type[Action]) -> str:
    """Why this action cannot be rehearsed; "" where it can."""
    if action.rollback.inverse is None:
        reasons = {"none": "It has no rollback plan: there is nothing to rehearse."}
        return reasons.get(action.rollback.kind, "A person takes it back, not a machine.")
    return "" if action.rehearsal() is not None else action.not_rehearsable


def keep(played: Played, *, actor: str, person_id: int, name: str) -> uuid.UUID:
    """Keep it with its time to expire; that it was played is an event of the day."""
    lasts = timedelta(seconds=conf.rehearsal_seconds())
    facts = {
        "rehearsal_id": str(uuid.uuid4()),
        **_told(played, person_id, name),
        "action_version": played.action_version,
        "expires_at": (played.ended_at + lasts).isoformat(),
        "recovery_seconds": _decimal(played.recovery_seconds),
    }
    return rehearsals.keep_rehearsal(actor, packed(storable(facts)))


def keep_drill(played: Played, *, actor: str, person_id: int, name: str) -> None:
    """That the stop was drilled, with all that was seen, is an event of the day's log of stops."""
    stops.keep_drill(actor, packed(storable(_told(played, person_id, name))))


def _told(played: Played, person_id: int, name: str) -> dict[str, object]:
    """What is kept of anything that was played, and who had it played."""
    return {
        "person": person_id,
        "person_name": name,
        "action": played.action,
        "result": "passed" if played.passed else "failed",
        "run": str(played.run_id) if played.run_id else None,
        "started_at": played.started_at.isoformat(),
        "ended_at": played.ended_at.isoformat(),
        "timeline": [asdict(moment) for moment in played.timeline],
        "assertions": [asdict(each) for each in played.assertions],
    }


def now() -> datetime:
    return datetime.now(UTC)


def _decimal(seconds: float | None) -> str | None:
    """Events carry no floating point."""
    return None if seconds is None else f"{seconds:.3f}"
