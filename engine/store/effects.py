"""The protocol of one effect: one name here, one door in `effects.sql`, one commit."""

import uuid
from collections.abc import Mapping
from typing import Any

from engine.errors import NotFound

from .doors import call, worker_door

prepare_effect = worker_door("prepare_effect")
"""The effect exists; nothing has been sent."""

intend_effect = worker_door("intend_effect")
"""The only gate; gives in `arguments` the bytes that were checked and are to be sent."""

record_effect = worker_door("record_effect")
"""What the target answered: succeeded, failed (surely nothing happened) or unknown."""

reconcile_effect = worker_door("reconcile_effect")
"""What a probe by key found out about an effect that may have happened."""


def effect_clock(effect: uuid.UUID) -> Mapping[str, Any]:
    """Seconds to the call's deadline and since the first sending, by the database's clock."""
    return call("effect_clock", effect)


def effect_action(effect: uuid.UUID) -> tuple[str, int]:
    """The action of an effect: name and version. Raises NotFound."""
    found = call("effect_action", effect)
    if found is None:
        raise NotFound("There is no such effect.")
    return found[0], found[1]


verify_effect = worker_door("verify_effect")
"""What re-reading the target showed."""

commit_effect = worker_door("commit_effect")
"""Verification passed; a rollback marks what it has taken back."""


def note_late_answer(run: uuid.UUID, actor: str, payload: bytes) -> Mapping[str, Any]:
    """Keep an answer that came after the lease was lost; it changes no state."""
    return call("note_late_answer", run, actor, payload)
