"""Rollback plans that were really carried out, to see whether they hold."""

import uuid

from django.db import models
from django.db.models import Q

from engine import states

from .constraints import one_of
from .run import Run


class Rehearsal(models.Model):
    """One version of an action done, its worker killed, recovered, rolled back and looked at.

    `recovery_seconds` is from the kill until its effect was committed by another worker.
    """

    rehearsal_id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    action = models.TextField()
    action_version = models.PositiveIntegerField()
    result = models.TextField()
    started_by = models.TextField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    recovery_seconds = models.FloatField(null=True)
    timeline = models.JSONField(default=list)
    assertions = models.JSONField(default=list)
    run = models.ForeignKey(Run, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            one_of("rehearsal_result_known", "result", states.REHEARSAL_RESULTS),
            models.CheckConstraint(
                name="rehearsal_expires_after_its_end",
                condition=Q(expires_at__gt=models.F("ended_at")),
            ),
        ]
        indexes = [
            models.Index(
                fields=["action", "action_version", "-ended_at"], name="rehearsal_latest_of_action"
            ),
        ]
