"""Which proposals one person may decide now: the list that an inbox and its counts are made of.

It only saves people from opening what they could not decide. The engine asks its own rule again,
at the door, and that rule is the one that counts.
"""

from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from engine.models import Event, Policy, Proposal


def proposals(person_id: int) -> QuerySet[Proposal]:
    """Open and unexpired; the person is active, in the policy's group, and did not start it."""
    groups = Policy.objects.filter(in_force=True).values("group_name")
    entitled = get_user_model().objects.filter(
        pk=person_id, is_active=True, groups__name__in=groups
    )
    not_theirs = Q(run__initiator_person=None) | ~Q(run__initiator_person=person_id)
    started = Event.objects.filter(run_id=OuterRef("run_id"), seq=1, actor=f"person:{person_id}")
    return Proposal.objects.filter(
        Exists(entitled), not_theirs, ~Exists(started), status="open", valid_until__gt=Now()
    )


def count(person_id: int) -> int:
    """How many proposals this person may decide now."""
    return proposals(person_id).count()
