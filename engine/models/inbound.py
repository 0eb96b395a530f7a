"""What comes from outside, and who waits for it."""

import uuid

from django.db import models

from engine import states

from .constraints import one_of
from .run import Run


class InboundEvent(models.Model):
    """An event from outside: named, about one thing (`key`), and known by its sender's id.

    `payload` is canonical JSON text.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    name = models.TextField()
    key = models.TextField()
    external_id = models.TextField()
    payload = models.TextField()
    sender = models.TextField()
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "external_id"], name="inbound_event_once"),
        ]
        indexes = [
            models.Index(fields=["name", "key", "received_at"], name="inbound_event_by_key"),
        ]


class Taking(models.Model):
    """A run took an inbound event, as event `seq` of its log; the same one never twice."""

    pk = models.CompositePrimaryKey("inbound_id", "run_id")
    inbound = models.ForeignKey(
        InboundEvent, models.PROTECT, related_name="takings", db_index=False
    )
    run = models.ForeignKey(Run, models.PROTECT, related_name="takings")
    seq = models.BigIntegerField()


class Wait(models.Model):
    """What a run waits for, and until when; `over_at` once that has come, its time is up, or the
    run has ended. `joinable_at` is when the last of its branches ended, until it joins them."""

    wait_id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    run = models.ForeignKey(Run, models.PROTECT, related_name="waits")
    what = models.TextField()
    name = models.TextField(null=True)
    key = models.TextField(null=True)
    until = models.DateTimeField()
    begun_at = models.DateTimeField()
    over_at = models.DateTimeField(null=True)
    joinable_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run"], condition=models.Q(over_at__isnull=True), name="wait_one_per_run"
            ),
            one_of("wait_what_known", "what", states.WAITS),
            models.CheckConstraint(
                name="wait_for_an_event_names_it",
                condition=models.Q(what="event", name__isnull=False, key__isnull=False)
                | models.Q(what__in=("branches", "time"), name__isnull=True, key__isnull=True),
            ),
        ]
        indexes = [
            models.Index(
                fields=["name", "key"],
                name="wait_by_key",
                condition=models.Q(what="event", over_at__isnull=True),
            ),
            models.Index(
                fields=["joinable_at"],
                name="wait_joinable",
                condition=models.Q(joinable_at__isnull=False),
            ),
        ]
