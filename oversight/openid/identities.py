"""Which identity at the provider is whose: linked and given up by the person alone, each told."""

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from engine import api
from engine.errors import Conflict
from oversight.models import Person
from oversight.openid.models import Identity
from oversight.openid.provider import Provider
from oversight.signing_in import known


def named() -> Provider:
    """The provider; for what is reached only where one is named."""
    provider: Provider = settings.PLACET_OPENID
    return provider


def of(person_id: int) -> Identity | None:
    """The identity by which this person may sign in at the provider that is named now."""
    issuer = named().issuer
    return Identity.objects.filter(person_id=person_id, issuer=issuer).first()


def whose(subject: str) -> Person | None:
    """Whoever has linked this identity, whether or not their account is open."""
    issuer = named().issuer
    found = Identity.objects.select_related("person").filter(issuer=issuer, subject=subject).first()
    return found.person if found else None


def link(person: Person, subject: str) -> None:
    """From now on this identity signs this person in.

    Raises Conflict where it is somebody's already, or they have one.
    """
    issuer, now = named().issuer, timezone.now()
    try:
        with transaction.atomic():
            Identity.objects.create(person=person, issuer=issuer, subject=subject, linked_at=now)
            api.note_identity_linked(known(person), issuer, subject)
    except IntegrityError as problem:
        raise Conflict("It is linked to an account already.") from problem


@transaction.atomic
def unlink(person: Person) -> None:
    """It signs nobody in any more. Where there is none, nothing is done."""
    found = of(person.pk)
    if found and Identity.objects.filter(pk=found.pk).delete()[0]:
        api.note_identity_unlinked(known(person), found.issuer, found.subject)


def note_used(person: Person) -> None:
    issuer = named().issuer
    Identity.objects.filter(person=person, issuer=issuer).update(used_at=timezone.now())
