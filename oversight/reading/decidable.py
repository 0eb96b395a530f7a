"""Which proposals one person may decide now: the list that an inbox and its counts are made of.

It only saves people from opening what they could not decide. The engine asks its own rule again,
at the door, and that rule is the one that counts.
"""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast, Left, Length, Now

from engine.models import Decision, Event, Policy, Proposal, Qualification


def proposals(person_id: int) -> QuerySet[Proposal]:
    """Open and unexpired; the person is active, in one of the groups that decide it, is qualified
    for it where that is demanded, did not start it, has edited none of it and has said
    nothing of it yet."""
    mine = Group.objects.filter(user=person_id).values(in_text=Cast("name", TextField()))
    active = get_user_model().objects.filter(pk=person_id, is_active=True)
    not_theirs = Q(run__initiator_person=None) | ~Q(run__initiator_person=person_id)
    started = Event.objects.filter(run_id=OuterRef("run_id"), seq=1, actor=f"person:{person_id}")
    heard = Decision.objects.filter(proposal=OuterRef("pk"), person=person_id)
    return Proposal.objects.filter(
        Exists(active),
        Exists(Policy.objects.filter(status="in_force")),
        Q(training=None) | Exists(_qualifications(person_id)),
        not_theirs,
        ~Q(editors__contains=[person_id]),
        ~Exists(started),
        ~Exists(heard),
        groups__overlap=ArraySubquery(mine),
        status="open",
        valid_until__gt=Now(),
    )


def _qualifications(person_id: int) -> QuerySet[Qualification]:
    """Those of this person that count now for the proposal around it. Whether they have decided
    too many already is not asked: what they see then tells them from when on they may again."""
    begins = Func(
        OuterRef("action"),
        Left(F("actions"), Length("actions") - 1),
        function="starts_with",
        output_field=BooleanField(),
    )
    return Qualification.objects.annotate(begins=begins).filter(
        Q(actions__in=("*", OuterRef("action"))) | Q(actions__endswith=".*", begins=True),
        person=person_id,
        training=OuterRef("training"),
        withdrawn_at=None,
        valid_from__lte=Now(),
        valid_until__gt=Now(),
    )


def count(person_id: int) -> int:
    """How many proposals this person may decide now."""
    return proposals(person_id).count()
