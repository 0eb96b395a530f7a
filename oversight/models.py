"""The people of an installation."""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac

from oversight.showing.text import must_be_seen


class Person(AbstractUser):
    """Somebody who reviews, operates, audits, integrates or administers.

    Roles are groups; an agent is never a person, so it can hold none of them. `sessions_ended` is
    how often all sessions of theirs were: the database counts it up when the account is closed.
    """

    full_name = models.CharField(max_length=200, blank=True)
    sessions_ended = models.PositiveIntegerField(default=0)

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(Lower("username"), name="person_of_a_name_in_any_case"),
        ]

    def __str__(self) -> str:
        return self.full_name or self.username

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Raises ValidationError for a name that hides something; it is never changed later."""
        if self._state.adding:
            self.must_be_seen()
        super().save(*args, **kwargs)

    def must_be_seen(self) -> None:
        for name in (self.full_name, self.username):
            must_be_seen(name)

    def _get_session_auth_hash(self, secret: Any = None) -> str:
        """What every session of theirs has to bear: other with each password, and each end."""
        bearing = f"{self.sessions_ended}:{self.password}"
        salt = "oversight.models.Person.session"
        return salted_hmac(salt, bearing, secret=secret, algorithm="sha256").hexdigest()


class Shown(models.Model):
    """What somebody was shown when they decided: HTML, compressed, under the SHA-256 (hex) of what
    it is uncompressed. The decision's event names it."""

    digest = models.TextField(primary_key=True)
    body = models.BinaryField()
    kept_at = models.DateTimeField(auto_now_add=True)


class Invitation(models.Model):
    """A link that lets one person in, once, into these groups. Of its token only the SHA-256 (hex)
    is kept. `sent`: it went to the mail address itself."""

    id = models.UUIDField(primary_key=True)
    token_hash = models.TextField(unique=True)
    full_name = models.CharField(max_length=200)
    email = models.EmailField()
    groups = ArrayField(models.TextField())
    invited_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    sent = models.BooleanField(default=False)
    accepted_by = models.OneToOneField(Person, models.PROTECT, null=True, related_name="+")
    accepted_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="invitation_keeps_a_hash",
                condition=models.Q(token_hash__regex=r"^[0-9a-f]{64}$"),  # noqa: S106 - a shape
            ),
        ]


from oversight.agents_api.models import Agent, ApiKey, IdempotentRequest  # noqa: E402
from oversight.openid.models import Identity  # noqa: E402
from oversight.second_factor.models import FactorTries  # noqa: E402

__all__ = [
    "Agent",
    "ApiKey",
    "FactorTries",
    "IdempotentRequest",
    "Identity",
    "Invitation",
    "Person",
    "Shown",
]
