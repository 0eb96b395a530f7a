"""Approvals given beforehand, and who gave them."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from engine import states

from .constraints import one_of


class Exemption(models.Model):
    """An approval given beforehand, of a class of requests.

    `content` are the frozen bytes that were shown and approved, `digest` their SHA-256 (hex). What
    it lets through is read from these; `action`, `agent` and the rest find it and count. It ends
    with `until`, with its last use, or with what `ended_why` names (`states.EXEMPTION_ENDS`).
    """

    id = models.UUIDField(primary_key=True)
    content = models.BinaryField()
    digest = models.TextField()
    action = models.TextField()
    action_version = models.PositiveIntegerField()
    agent = models.TextField()
    risk = models.TextField()
    uses = models.PositiveIntegerField()
    used = models.PositiveIntegerField(default=0)
    one_in = models.PositiveIntegerField()
    until = models.DateTimeField()
    status = models.TextField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    proposed_by_name = models.TextField()
    proposed_at = models.DateTimeField()
    standing_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.TextField(null=True)
    ended_why = models.TextField(null=True)
    ended_reason = models.TextField(null=True)

    class Meta:
        constraints = [
            one_of("exemption_status_known", "status", states.EXEMPTION),
            one_of("exemption_end_known", "ended_why", states.EXEMPTION_ENDS),
            models.CheckConstraint(
                name="exemption_used_at_most_so_often",
                condition=Q(used__lte=F("uses"), uses__gte=1, uses__lte=states.MOST_USES),
            ),
            models.CheckConstraint(
                name="exemption_ends_within_thirty_days",
                condition=Q(until__gt=F("proposed_at"))
                & Q(until__lte=F("proposed_at") + timedelta(days=states.LONGEST_EXEMPTION_DAYS)),
            ),
            models.CheckConstraint(
                name="exemption_asks_now_and_then",
                condition=Q(one_in__gte=2, one_in__lte=states.RAREST_ASKED),
            ),
            models.CheckConstraint(
                name="exemption_never_at_high_risk", condition=Q(risk__in=("low", "medium"))
            ),
        ]
        indexes = [
            models.Index(
                fields=["action"],
                name="exemption_live_by_action",
                condition=Q(status__in=states.LIVE),
            ),
            models.Index(fields=["-proposed_at", "id"], name="exemption_newest_first"),
        ]


class Voice(models.Model):
    """One person's approval of an exemption."""

    id = models.UUIDField(primary_key=True)
    exemption = models.ForeignKey(Exemption, models.PROTECT, related_name="voices")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    person_name = models.TextField()
    reason = models.TextField()
    digest = models.TextField()
    step_up = models.OneToOneField("engine.StepUp", models.PROTECT, null=True, related_name="+")
    given_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["exemption", "person"], name="voice_one_per_person"),
            models.CheckConstraint(name="voice_has_a_reason", condition=~Q(reason="")),
        ]
