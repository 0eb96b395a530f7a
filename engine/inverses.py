"""The act that takes an effect back: made from what was sent and what the target answered."""

import json
import logging
from typing import Any

from . import actions
from .actions import Action
from .canonical import as_said, frozen, sha256_hex
from .errors import NotFound
from .store import alerts
from .types import CarriedOut, Facts, Pending

logger = logging.getLogger(__name__)

Effect = Pending | CarriedOut


def made_for(effect: Effect) -> tuple[Action, bytes]:
    """The inverse action and its frozen arguments.

    Raises NotPermitted for a plan that is a person's work, NotFound when what the target answered
    is not kept.
    """
    forward = actions.get(effect.action, effect.action_version)
    args = actions.thawed(forward, effect.arguments)
    inverse, given = forward.rollback.made_for(args, effect.resource_id, _result(effect))
    return inverse, actions.freeze(inverse, given)


def found_by(inverse: Action, arguments: bytes) -> Any:
    """What the inverse's precondition finds at the target now."""
    return as_said(inverse.precondition(actions.thawed(inverse, arguments)))


def left_behind(effect: Effect) -> Facts | None:
    """How the object looks right after the effect was verified: what a later rollback compares.

    None where the plan is a person's work, or where the target cannot be read just now; then a
    rollback captures it when it is prepared.
    """
    if actions.get(effect.action, effect.action_version).rollback.inverse is None:
        return None
    try:
        left: Facts = found_by(*made_for(effect))
    except Exception as problem:
        logger.warning("effect %s: not seen afterwards: %s", effect.effect_id, problem)
        return None
    return left


def rollback_key(effect_id: str | None) -> str:
    """SHA-256 (hex) of the RFC 8785 array ["rollback", effect_id]."""
    return sha256_hex(frozen(["rollback", effect_id]))


def _result(effect: Effect) -> Any:
    """What the target answered to the act, from the evidence kept of it."""
    body = alerts.evidence_body(effect.result_ref) if effect.result_ref else None
    if body is None:
        raise NotFound("The evidence of the effect to take back is gone.")
    return json.loads(body)
