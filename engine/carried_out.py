"""What a run has done so far, and what became of each effect when it is taken back."""

import uuid
from collections.abc import Iterable
from typing import Any

from .store import rollbacks
from .types import CarriedOut, Position


def of(position: Position) -> tuple[CarriedOut, ...]:
    """What was carried out by the run whose effects are taken back here, and by its branches, the
    latest first."""
    return rollbacks.effects_carried_out(origin(position))


def origin(position: Position) -> uuid.UUID:
    """The run itself; or the ended one that it takes back."""
    named = position.unwinding and position.unwinding["origin"]
    return uuid.UUID(named) if named else position.run_id


def account(effects: Iterable[CarriedOut]) -> list[dict[str, Any]]:
    """Effect by effect, as it is kept with an alert or a pause."""
    return [
        {"effect_id": one.effect_id, "action": one.action, "standing": _standing(one)}
        for one in effects
    ]


def _standing(effect: CarriedOut) -> str:
    if not effect.stands:
        return "taken back"
    return f"rollback {effect.rollback_status}" if effect.rollback_status else "stands"
