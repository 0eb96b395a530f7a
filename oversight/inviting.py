"""How people come: by an invitation of an administrator's, once, and for a while."""

import secrets
import uuid
from collections.abc import Collection
from datetime import timedelta
from hashlib import sha256

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from engine import api
from engine.errors import Conflict, NotFound
from oversight.models import Invitation, Person
from oversight.signing_in import known

LIFE = timedelta(days=3)


@transaction.atomic
def invite(
    name: str, email: str, groups: Collection[str], *, administrator: Person
) -> tuple[Invitation, str]:
    """Keep an invitation; gives it, and the token of its link, which is kept nowhere.

    Raises BadInput, NotPermitted; Conflict where that address has an account or an invitation.
    """
    if Person.objects.filter(email__iexact=email).exists():
        raise Conflict("There is an account with this mail address already.")
    if standing().filter(email__iexact=email).exists():
        raise Conflict("There is an invitation for this mail address already.")
    api.note_invited(name, groups, administrator=known(administrator))
    token, now = secrets.token_urlsafe(32), timezone.now()
    return Invitation.objects.create(
        id=uuid.uuid4(),
        token_hash=_hash(token),
        full_name=name,
        email=email,
        groups=sorted(groups),
        invited_by=administrator,
        invited_at=now,
        expires_at=now + LIFE,
    ), token


@transaction.atomic
def invite_again(invitation_id: uuid.UUID, *, administrator: Person) -> tuple[Invitation, str]:
    """Another link for the same, good for as long; the one before it opens nothing any more.

    Raises NotFound, NotPermitted.
    """
    found = _standing(invitation_id)
    api.note_invited(found.full_name, found.groups, administrator=known(administrator))
    token, now = secrets.token_urlsafe(32), timezone.now()
    found.token_hash, found.invited_by = _hash(token), administrator
    found.invited_at, found.expires_at = now, now + LIFE
    found.save()
    return found, token


@transaction.atomic
def withdraw(invitation_id: uuid.UUID, *, administrator: Person) -> Invitation:
    """Its link opens nothing any more. Raises NotFound, NotPermitted."""
    found = _standing(invitation_id)
    by = known(administrator)
    api.note_invitation_withdrawn(found.full_name, found.groups, administrator=by)
    found.withdrawn_at = timezone.now()
    found.save()
    return found


def by_token(token: str) -> Invitation | None:
    """The invitation that this link opens now; looking at it changes nothing."""
    return _open().filter(token_hash=_hash(token)).first()


@transaction.atomic
def accept(token: str, username: str, password: str) -> Person:
    """The person whom the invitation lets in, once.

    Raises NotFound where it opens nothing (any more), NotPermitted where who invited them
    administers no more, Conflict for a name that is taken.
    """
    found = _open().select_for_update().filter(token_hash=_hash(token)).first()
    if found is None:
        raise NotFound("This invitation opens nothing any more.")
    person = Person(username=username, full_name=found.full_name, email=found.email)
    person.set_password(password)
    _save(person)
    person.groups.set([Group.objects.get_or_create(name=name)[0] for name in found.groups])
    EmailAddress.objects.create(user=person, email=found.email, primary=True, verified=found.sent)
    api.note_joined(known(person), found.groups, invited_by=known(found.invited_by))
    found.accepted_at, found.accepted_by = timezone.now(), person
    found.save()
    return person


def _save(person: Person) -> None:
    """The database says whether the name is taken: whoever comes second at the same instant waits
    until the first has it. Raises Conflict."""
    try:
        with transaction.atomic():
            person.save()
    except IntegrityError as problem:
        raise Conflict("This name is taken.") from problem


def note_sent(invitation: Invitation) -> None:
    """Its link went to the address itself: who opens it has shown that it is theirs."""
    invitation.sent = True
    invitation.save(update_fields=["sent"])


def standing() -> QuerySet[Invitation]:
    """Those that were neither accepted nor withdrawn; some of them have run out."""
    return Invitation.objects.filter(accepted_at=None, withdrawn_at=None)


def _open() -> QuerySet[Invitation]:
    return standing().filter(expires_at__gt=timezone.now())


def _standing(invitation_id: uuid.UUID) -> Invitation:
    found = standing().select_for_update().filter(pk=invitation_id).first()
    if found is None:
        raise NotFound("There is no such invitation.")
    return found


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
