"""Taking back what stands: one name here, one door in `rollbacks.sql`, one commit."""

import uuid
from collections.abc import Mapping
from typing import Any

from engine.db import as_json
from engine.types import CarriedOut

from .doors import call

Told = Mapping[str, Any]


def authorise_rollback(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """An operator authorises the rollback of effects; a worker unwinds them."""
    return call("authorise_rollback", run, actor, payload)


def start_rollback(
    run: uuid.UUID, actor: str, accepted: bytes, checkpoint: Told, payload: bytes
) -> Told:
    """A run that has ended is rolled back by this new run, which names it."""
    return call("start_rollback", run, actor, accepted, as_json(checkpoint), payload)


def confirm_by_hand(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """A named person has taken an effect back by hand, with evidence."""
    return call("confirm_by_hand", run, actor, payload)


def effects_carried_out(run: uuid.UUID) -> tuple[CarriedOut, ...]:
    """Every forward effect of a run that was carried out, the latest first."""
    return tuple(CarriedOut(**facts) for facts in call("effects_carried_out", run))
