"""Whatever a person does to a run, they say why; and what they claim, they show evidence of."""

from engine import evidence
from engine.canonical import check
from engine.errors import BadInput

from .who import Reviewer


def must_have_a_reason(reason: str) -> None:
    """Raises BadInput for an empty one, or one that cannot be stored exactly."""
    check(reason, "$.reason")
    if not reason.strip():
        raise BadInput("Give a reason.", path="$.reason")


def must_have_evidence(seen: str) -> None:
    """Raises BadInput for none at all, or for what cannot be stored exactly."""
    check(seen, "$.evidence")
    if not seen.strip():
        raise BadInput("Give the evidence for it.", path="$.evidence")


def kept_evidence(person: Reviewer, seen: str) -> str:
    """Keep what this person says to have seen; gives its reference."""
    return evidence.keep({"said_by": person.name, "evidence": seen})
