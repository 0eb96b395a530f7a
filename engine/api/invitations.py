"""How people come: by invitations, events that an administrator answers for when somebody is
invited and again when they come; or added by a command on the machine."""

from collections.abc import Collection
from typing import Any

from engine.canonical import check, packed
from engine.store import people as doors

from .reasons import must_have_a_reason
from .who import Command, Reviewer


def note_invited(name: str, groups: Collection[str], *, administrator: Reviewer) -> None:
    """Somebody is invited. To be called in the transaction that keeps the invitation.

    Raises BadInput, and NotPermitted for who does not administer.
    """
    _note("invitation_made", administrator.actor, name, groups, administrator)


def note_invitation_withdrawn(
    name: str, groups: Collection[str], *, administrator: Reviewer
) -> None:
    """It lets nobody in any more. Raises as `note_invited` does."""
    _note("invitation_withdrawn", administrator.actor, name, groups, administrator)


def note_person_added(
    subject: Reviewer, groups: Collection[str], *, by: Command, reason: str | None
) -> None:
    """Somebody was added by a command. To be called in the transaction that adds them.

    Raises Conflict where another administers and no reason says why nobody was invited; BadInput
    for a reason that says nothing.
    """
    if reason is not None:
        must_have_a_reason(reason)
    facts = {"subject": subject.person_id, "subject_name": subject.name, "groups": sorted(groups)}
    doors.note_person_added(by.actor, packed({**facts, "reason": reason}))


def note_joined(subject: Reviewer, groups: Collection[str], *, invited_by: Reviewer) -> None:
    """Somebody came by an invitation. Raises NotPermitted where whoever invited them administers
    no more."""
    more = {"subject": subject.person_id}
    _note("person_joined", subject.actor, subject.name, groups, invited_by, **more)


def _note(
    kind: str, actor: str, name: str, groups: Collection[str], by: Reviewer, **more: Any
) -> None:
    check(name, "$.name")
    facts = {"subject_name": name, "groups": sorted(groups), **more}
    facts |= {"person": by.person_id, "person_name": by.name}
    doors.note_invitation(kind, actor, packed(facts))
