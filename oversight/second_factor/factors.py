"""The second factors of a person: which there are, one more, one fewer. Each change is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.utils import encrypt
from django.db import transaction

from engine import api
from oversight.models import Person
from oversight.signing_in import known

KINDS: Mapping[str, str] = {
    Authenticator.Type.TOTP: "totp",
    Authenticator.Type.WEBAUTHN: "passkey",
    Authenticator.Type.RECOVERY_CODES: "recovery_codes",
}
"""What django-allauth calls a kind → what the engine and the log call it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """One factor; `name` is what its owner calls it, empty but for a passkey."""

    id: int
    kind: str
    name: str
    added_at: datetime
    used_at: datetime | None


def of(person_id: int) -> tuple[Factor, ...]:
    """What counts as a second factor, the oldest first; recovery codes do not."""
    found = Authenticator.objects.filter(user_id=person_id).order_by("created_at")
    return tuple(_factor(each) for each in found if each.type != _CODES)


def kinds(person_id: int) -> frozenset[str]:
    return frozenset(each.kind for each in of(person_id))


def _factor(kept: Authenticator) -> Factor:
    return Factor(
        id=kept.pk,
        kind=KINDS[kept.type],
        name=kept.data.get("name", ""),
        added_at=kept.created_at,
        used_at=kept.last_used_at,
    )


_CODES = Authenticator.Type.RECOVERY_CODES


@transaction.atomic
def add_app(person: Person, secret: str, step: int) -> None:
    """An authenticator app; `step` is that of the code by which it was tried out, used up by it."""
    kept = {"secret": encrypt(secret), "last_step": step}
    Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data=kept)
    api.note_factor_added(known(person), "totp")


@transaction.atomic
def add_passkey(person: Person, name: str, credential: Mapping[str, Any]) -> None:
    kept = {"name": name, "credential": credential}
    Authenticator.objects.create(user=person, type=Authenticator.Type.WEBAUTHN, data=kept)
    api.note_factor_added(known(person), "passkey")


@transaction.atomic
def remove(person: Person, factor: Factor) -> None:
    """Take one away; with the last one, the recovery codes, which were for want of it."""
    Authenticator.objects.filter(user=person, pk=factor.id).delete()
    api.note_factor_removed(known(person), factor.kind)
    if not of(person.pk):
        _forget_codes(person)


@transaction.atomic
def new_codes(person: Person) -> Sequence[str]:
    """Ten recovery codes, to be written down; those before count no more."""
    Person.objects.select_for_update().get(pk=person.pk)
    _forget_codes(person)
    codes = RecoveryCodes.activate(person)
    api.note_factor_added(known(person), "recovery_codes")
    return codes.generate_codes()


def codes_left(person_id: int) -> int:
    kept = Authenticator.objects.filter(user_id=person_id, type=_CODES).first()
    return len(RecoveryCodes(kept).get_unused_codes()) if kept else 0


def _forget_codes(person: Person) -> None:
    if Authenticator.objects.filter(user=person, type=_CODES).delete()[0]:
        api.note_factor_removed(known(person), "recovery_codes")
