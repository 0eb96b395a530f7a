"""Agents, their keys, how often those were used, and what was answered."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Agent(models.Model):
    """A program that proposes. It is never a person, so it can hold no role.

    Its owner answers for it and never decides what it proposes.
    """

    name = models.TextField(unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="agents")
    active = models.BooleanField(default=True)

    class Meta:
        app_label = "oversight"
        constraints = [
            models.CheckConstraint(
                name="agent_name_is_a_slug", condition=Q(name__regex=r"^[a-z0-9][a-z0-9-]{0,62}$")
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ApiKey(models.Model):
    """What an agent shows to be let in. Of its 256-bit secret only the SHA-256 (hex) is kept."""

    key_id = models.TextField(primary_key=True)
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="keys")
    secret_hash = models.TextField()
    scopes = models.JSONField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "oversight"
        constraints = [
            models.CheckConstraint(
                name="api_key_keeps_a_hash",
                condition=Q(secret_hash__regex=r"^[0-9a-f]{64}$"),  # noqa: S106 - a shape, no secret
            ),
            models.CheckConstraint(
                name="api_key_lives_a_while", condition=Q(expires_at__gt=F("created_at"))
            ),
        ]

    def __str__(self) -> str:
        return f"plc_{self.key_id}_…"


class Pace(models.Model):
    """The token bucket of a key, by the moment at which it is full again; see `pace`."""

    key = models.OneToOneField(ApiKey, models.PROTECT, primary_key=True, related_name="+")
    full_at = models.DateTimeField()

    class Meta:
        app_label = "oversight"

    def __str__(self) -> str:
        return f"{self.key_id} until {self.full_at}"


class IdempotentRequest(models.Model):
    """The answer to a POST, kept 30 days to be given again to whoever repeats it."""

    agent = models.ForeignKey(Agent, models.PROTECT, related_name="+")
    key = models.TextField()
    request_hash = models.TextField()
    status = models.PositiveSmallIntegerField()
    response = models.BinaryField()
    created_at = models.DateTimeField()

    class Meta:
        app_label = "oversight"
        constraints = [
            models.UniqueConstraint(fields=["agent", "key"], name="idempotent_request_once"),
        ]
        indexes = [models.Index(fields=["created_at"], name="idempotent_request_oldest")]

    def __str__(self) -> str:
        return self.key
