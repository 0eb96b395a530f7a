"""Effects, the alerts they cause and the raw evidence they leave."""

import uuid

from django.db import models
from django.db.models import Q

from engine import states

from .constraints import one_of
from .run import Run


class Effect(models.Model):
    """One use of an action in a run.

    A rollback is an effect too: it names in `compensates` the effect that it takes back.
    """

    effect_id = models.UUIDField(primary_key=True)
    run = models.ForeignKey(Run, models.PROTECT, related_name="effects")
    step_id = models.TextField()
    tool_call_id = models.TextField(null=True)
    idempotency_key = models.TextField(unique=True)
    request_hash = models.TextField()
    status = models.TextField()
    external_resource_id = models.TextField(null=True)
    result_ref = models.TextField(null=True)
    updated_at = models.DateTimeField()
    action = models.TextField()
    action_version = models.PositiveIntegerField()
    arguments = models.BinaryField()
    proposal_id = models.UUIDField(null=True)
    proposal_version = models.PositiveIntegerField(null=True)
    attempt = models.PositiveIntegerField(default=1)
    fencing_token = models.BigIntegerField(null=True)
    first_sent_at = models.DateTimeField(null=True)
    call_deadline = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField(null=True)
    outcome = models.TextField(null=True)
    verification = models.TextField(null=True)
    committed_at = models.DateTimeField(null=True)
    accepted_by = models.TextField(null=True)
    compensates = models.OneToOneField(
        "self", models.PROTECT, null=True, related_name="compensated_by"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run"],
                condition=Q(status__in=states.IN_FLIGHT),
                name="effect_one_in_flight_per_run",
            ),
            one_of("effect_status_known", "status", states.EFFECT),
            one_of("effect_verification_known", "verification", states.VERIFICATIONS),
            models.CheckConstraint(
                name="effect_committed_means_verified",
                condition=Q(committed_at__isnull=True)
                | Q(verification="passed")
                | Q(accepted_by__isnull=False),
            ),
            models.CheckConstraint(
                name="effect_approved_or_a_rollback",
                condition=Q(proposal_id__isnull=False) | Q(compensates__isnull=False),
            ),
        ]


class Alert(models.Model):
    """A fact that a person must acknowledge."""

    alert_id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    run = models.ForeignKey(Run, models.PROTECT, related_name="alerts")
    effect = models.ForeignKey(Effect, models.PROTECT, null=True, related_name="alerts")
    kind = models.TextField()
    status = models.TextField()
    summary = models.TextField()
    details = models.JSONField(default=dict)
    raised_at = models.DateTimeField()
    times = models.PositiveIntegerField(default=1)
    acknowledged_by = models.TextField(null=True)
    acknowledged_at = models.DateTimeField(null=True)
    cause = models.TextField(null=True)
    next_step = models.TextField(null=True)
    due_at = models.DateTimeField(null=True)
    resolved_by = models.TextField(null=True)
    resolved_at = models.DateTimeField(null=True)
    resolution = models.TextField(null=True)

    class Meta:
        constraints = [
            one_of("alert_status_known", "status", states.ALERT),
            models.CheckConstraint(
                name="alert_acknowledged_with_cause_step_and_time",
                condition=Q(status="open")
                | Q(cause__isnull=False, next_step__isnull=False, due_at__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["-raised_at", "-alert_id"], name="alert_newest_first"),
            models.Index(fields=["-raised_at"], name="alert_open", condition=Q(status="open")),
            models.Index(
                fields=["due_at"], name="alert_by_due_time", condition=Q(status="acknowledged")
            ),
        ]


class Secret(models.Model):
    """The sealed value of an argument typed `Secret`, under its keyed fingerprint."""

    fingerprint = models.TextField(primary_key=True)
    sealed = models.BinaryField()
    kept_at = models.DateTimeField()


class Evidence(models.Model):
    """Raw tool evidence, addressed by the SHA-256 (hex) of its bytes."""

    sha256 = models.TextField(primary_key=True)
    media_type = models.TextField()
    body = models.BinaryField()
    kept_at = models.DateTimeField()
