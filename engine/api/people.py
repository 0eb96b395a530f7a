"""What administrators say of people: of others, never of themselves."""

from dataclasses import dataclass
from typing import Any

from engine.canonical import packed
from engine.store import people as doors

from . import reasons
from .who import Reviewer


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What somebody may be here: whether their account is open, and their groups."""

    active: bool
    groups: frozenset[str]

    @property
    def facts(self) -> dict[str, Any]:
        return {"active": self.active, "groups": sorted(self.groups)}


def change_person(
    subject: Reviewer, standing: Standing, *, seen: Standing, administrator: Reviewer, reason: str
) -> None:
    """Give somebody another standing than the one that was `seen`.

    Nothing that they said is taken back; an approval of theirs counts only while they may give it.
    Raises BadInput, NotFound, NotPermitted (for oneself, too), Conflict.
    """
    facts = {**standing.facts, "seen": seen.facts, **said(subject, administrator, reason)}
    doors.change_person(administrator.actor, packed(facts))


def said(subject: Reviewer, administrator: Reviewer, reason: str) -> dict[str, Any]:
    """Who says it of whom, and why. Raises BadInput without a reason."""
    of_whom = {"subject": subject.person_id, "subject_name": subject.name}
    return {**reasons.said(administrator, reason), **of_whom}
