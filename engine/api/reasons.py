"""Whatever a person does to a run, they say why; and what they claim, they show evidence of."""

from typing import Any

from engine import evidence
from engine.canonical import check
from engine.errors import BadInput

from .who import Reviewer


def must_have_a_reason(reason: str) -> None:
    """Raises BadInput for an empty one, or one that cannot be stored exactly."""
    check(reason, "$.reason")
    if not reason.strip():
        raise BadInput("Give a reason.", path="$.reason")


def said(person: Reviewer, reason: str) -> dict[str, Any]:
    """Who says it, and why. Raises BadInput without a reason."""
    must_have_a_reason(reason)
    return {"person": person.person_id, "person_name": person.name, "reason": reason.strip()}


def must_have_evidence(seen: str) -> None:
    """Raises BadInput for none at all, or for what cannot be stored exactly."""
    check(seen, "$.evidence")
    if not seen.strip():
        raise BadInput("Give the evidence for it.", path="$.evidence")


def kept_evidence(person: Reviewer, seen: str) -> str:
    """Keep what this person says to have seen; gives its reference."""
    return evidence.keep({"said_by": person.name, "evidence": seen})
