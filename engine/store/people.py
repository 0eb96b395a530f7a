"""People: one function here, one door in `people.sql`."""

from .doors import call


def change_person(actor: str, payload: bytes) -> None:
    """Change whether somebody is active and in which groups they are."""
    call("change_person", actor, payload)
