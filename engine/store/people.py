"""People: one function here, one door in `people.sql`."""

from .doors import call


def change_person(actor: str, payload: bytes) -> None:
    """Change whether somebody is active and in which groups they are."""
    call("change_person", actor, payload)


def note_person_added(actor: str, payload: bytes) -> None:
    """Note that a command added somebody; refused once another administers, unless it says why."""
    call("note_person_added", actor, payload)


def note_invitation(kind: str, actor: str, payload: bytes) -> None:
    """Note what became of an invitation that an administrator answers for."""
    call("note_invitation", kind, actor, payload)
