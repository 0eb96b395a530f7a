"""What the people of the demo are qualified for: enough to try a rule that demands it."""

from collections.abc import Mapping
from datetime import timedelta

from django.utils import timezone

from engine import api
from engine.models import Qualification
from oversight.demo.cast import ALMA, MINA, ROSA, TOMAS
from oversight.models import Person
from oversight.signing_in import known

TRAINED = (
    (ROSA.name, "refunds-2", "ledger.*", 180, 200),
    (MINA.name, "refunds-2", "ledger.refund", 10, None),
    (TOMAS.name, "access-1", "access.*", 90, 20),
)
"""Who, by which training, for which actions, for how many days, and how many decisions in one."""


def qualify(people: Mapping[str, Person]) -> None:
    """Alma grants each what they were never granted yet."""
    alma, now = known(people[ALMA.name]), timezone.now()
    for name, training, actions, days, most in TRAINED:
        person = people[name]
        if Qualification.objects.filter(person=person, training=training).exists():
            continue
        grant = {
            "training": training,
            "actions": actions,
            "valid_from": now,
            "valid_until": now + timedelta(days=days),
            "most_a_day": most,
        }
        api.grant_qualification(
            known(person), grant, administrator=alma, reason="Passed the examination."
        )
