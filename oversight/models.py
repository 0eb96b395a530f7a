"""The people of an installation."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class Person(AbstractUser):
    """Somebody who reviews, operates, audits, integrates or administers.

    Roles are groups; an agent is never a person, so it can hold none of them.
    """

    full_name = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return self.full_name or self.username


from oversight.agents_api.models import Agent, ApiKey, IdempotentRequest  # noqa: E402

__all__ = ["Agent", "ApiKey", "IdempotentRequest", "Person"]
