"""Who came in and who left: events of the day's log of access."""

from engine.canonical import packed
from engine.store import trail

from .who import Reviewer

_NOBODY = "stranger:sign-in"
"""Who was not let in has shown nothing of who they are."""


def note_signed_in(person: Reviewer, route: str) -> None:
    """Somebody has shown who they are, by this route, and a session of theirs begins."""
    trail.note("access", "signed_in", person.actor, packed({**_named(person), "route": route}))


def note_signed_out(person: Reviewer) -> None:
    """Somebody has ended their session."""
    trail.note("access", "signed_out", person.actor, packed(_named(person)))


def note_sign_in_refused(whose: Reviewer | None, route: str) -> None:
    """Somebody could not show that they are this person. None: there is no such account.

    What was typed is not kept: people mistake the field of the name for that of the password.
    """
    named = _named(whose) if whose else {"person": None, "person_name": None}
    trail.note("access", "sign_in_refused", _NOBODY, packed({**named, "route": route}))


def note_identity_linked(person: Reviewer, issuer: str, subject: str) -> None:
    """Somebody has linked who they are at an identity provider: that signs them in from now on."""
    _note_identity("identity_linked", person, issuer, subject)


def note_identity_unlinked(person: Reviewer, issuer: str, subject: str) -> None:
    """It signs them in no more."""
    _note_identity("identity_unlinked", person, issuer, subject)


def _note_identity(event: str, person: Reviewer, issuer: str, subject: str) -> None:
    facts = {**_named(person), "issuer": issuer, "subject": subject}
    trail.note("access", event, person.actor, packed(facts))


def note_factor_added(person: Reviewer, kind: str) -> None:
    """Somebody has a second factor of this kind from now on. Its secret is never told."""
    _note_factor("factor_added", person, kind)


def note_factor_removed(person: Reviewer, kind: str) -> None:
    """Somebody has taken a second factor of theirs away."""
    _note_factor("factor_removed", person, kind)


def note_factor_refused(person: Reviewer, kind: str) -> None:
    """Somebody could not show this second factor of a person's. What was typed is not kept."""
    _note_factor("factor_refused", person, kind, actor=_NOBODY)


def _note_factor(event: str, person: Reviewer, kind: str, *, actor: str = "") -> None:
    facts = {**_named(person), "factor": kind}
    trail.note("access", event, actor or person.actor, packed(facts))


def _named(person: Reviewer) -> dict[str, int | str]:
    return {"person": person.person_id, "person_name": person.name}
