"""Keys of agents: `plc_<id>_<secret>`, told once when issued, kept only as a hash."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from engine.api import Initiator
from engine.errors import NotFound

from . import scopes
from .models import Agent, ApiKey
from .refusals import KeyExpired, ScopeMissing, Unauthenticated

_USED_EVERY = timedelta(minutes=1)
_NO_KEY = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The agent behind a request, and what its key allows."""

    agent_id: int
    key_id: str
    name: str
    owner_id: int
    scopes: tuple[str, ...]

    @property
    def actor(self) -> str:
        return f"agent:{self.name}"

    @property
    def initiator(self) -> Initiator:
        return Initiator(actor=self.actor, person_id=self.owner_id)

    def must_be_allowed(self, kind: str, name: str) -> None:
        """Raise ScopeMissing unless the key allows this workflow, action or event."""
        if not scopes.allow(self.scopes, kind, name):
            raise ScopeMissing(f"This key lacks the scope {kind}:{name}.")


def issue_key(agent: Agent, allowed: Iterable[str], valid_for: timedelta) -> str:
    """A new key of `agent`, in full: it is told here and never again.

    `allowed` are scopes. Older keys go on until they expire, so that they can be exchanged
    one by one. Raises BadInput for an unknown scope.
    """
    secret, now = secrets.token_hex(32), timezone.now()
    key = ApiKey.objects.create(
        key_id=secrets.token_hex(8),
        agent=agent,
        secret_hash=_hash(secret),
        scopes=scopes.checked(allowed),
        created_at=now,
        expires_at=now + valid_for,
    )
    return f"plc_{key.key_id}_{secret}"


def revoke_key(key_id: str) -> ApiKey:
    """End a key at once; one that has ended stays as it is. Raises NotFound."""
    known = ApiKey.objects.select_related("agent").filter(key_id=key_id)
    known.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())
    key = known.first()
    if key is None:
        raise NotFound(f"There is no key {key_id!r}.")
    return key


def recognised(authorization: str) -> Caller:
    """Who shows this `Authorization` header.

    Raises KeyExpired for a right key that is too old, and Unauthenticated for everything else:
    which part is wrong is nobody's business.
    """
    key_id, secret = _parts(authorization)
    now, key = _found(key_id)
    fits = hmac.compare_digest(_hash(secret), key.secret_hash if key else _NO_KEY)
    if key is None or not fits or not in_force(key):
        raise Unauthenticated("This key is not valid.")
    if key.expires_at <= now:
        raise KeyExpired("The key has expired; ask the agent's owner for a new one.")
    _note_use(key, now)
    return Caller(
        agent_id=key.agent.pk,
        key_id=key.key_id,
        name=key.agent.name,
        owner_id=key.agent.owner_id,
        scopes=tuple(key.scopes),
    )


def _parts(authorization: str) -> tuple[str, str]:
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthenticated("Send a key: Authorization: Bearer plc_<id>_<secret>.")
    prefix, _, rest = token.strip().partition("_")
    key_id, _, secret = rest.partition("_")
    return (key_id, secret) if prefix == "plc" else ("", "")


def _found(key_id: str) -> tuple[datetime, ApiKey | None]:
    """The database's clock, and the key of that id."""
    known = ApiKey.objects.select_related("agent__owner").annotate(clock=Now())
    key = known.filter(key_id=key_id.replace("\x00", "")).first()
    return (key.clock, key) if key else (timezone.now(), None)


def in_force(key: ApiKey) -> bool:
    """Neither the key, nor its agent, nor who answers for that has been taken out of service."""
    return key.revoked_at is None and key.agent.active and key.agent.owner.is_active


def _note_use(key: ApiKey, now: datetime) -> None:
    """Once a minute is enough to see a key that nobody needs any more."""
    if key.last_used_at is None or key.last_used_at < now - _USED_EVERY:
        old = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - _USED_EVERY)
        ApiKey.objects.filter(old, pk=key.pk).update(last_used_at=now)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
