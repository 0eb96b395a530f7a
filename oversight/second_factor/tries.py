"""How often a second factor may be tried: few wrong ones, then none for a while.

Counted in the database under the person's own row, so that neither many processes nor many requests
at once give more tries than one.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.db import transaction
from django.utils import timezone

from engine import api
from oversight.models import Person
from oversight.second_factor.models import FactorTries
from oversight.signing_in import known

MOST = 5
WHILE = timedelta(minutes=15)

Found = TypeVar("Found")


class TooManyTries(Exception):
    """Nothing was looked at: too many were wrong, a short while ago."""


def tried(person: Person, kind: str, look: Callable[[], Found | None]) -> Found | None:
    """What `look` finds; None, and counted, where it finds nothing. Raises TooManyTries."""
    with transaction.atomic():
        now = timezone.now()
        FactorTries.objects.get_or_create(person=person, defaults={"since": now})
        row = FactorTries.objects.select_for_update().get(person=person)
        if row.since <= now - WHILE:
            row.failed = 0
        if row.failed >= MOST:
            raise TooManyTries
        found = look()
        row.since = row.since if row.failed else now
        row.failed = 0 if found else row.failed + 1
        row.save()
        if found is None:
            api.note_factor_refused(known(person), kind)
        return found
