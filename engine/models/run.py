"""A run, its log and its checkpoints."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models.fields.json import KT

from engine import states

from .constraints import OneOf, one_of

_IS_TERMINAL = OneOf("status", states.terminal(states.RUN))


class Run(models.Model):
    """One durable execution of a workflow version; as a `branch`, by that name, of its parent."""

    run_id = models.UUIDField(primary_key=True)
    workflow = models.TextField()
    workflow_version = models.PositiveIntegerField()
    status = models.TextField()
    reason_code = models.TextField(null=True)
    current_node = models.TextField()
    state_version = models.BigIntegerField(default=0)
    last_seq = models.BigIntegerField(default=0)
    head = models.BinaryField()
    last_at = models.DateTimeField()
    lease_owner = models.TextField(null=True)
    lease_token = models.BigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    wake_at = models.DateTimeField(null=True)
    budget = models.JSONField(default=dict)
    labels = models.JSONField(default=dict)
    stands_on = models.JSONField(default=dict)
    initiator = models.TextField()
    initiator_person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="children")
    branch = models.TextField(null=True)
    forked_from = models.TextField(null=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # By the label, which stays: an index that names the node is written to at every move.
            models.UniqueConstraint(
                "workflow",
                KT("labels__day"),
                condition=models.Q(workflow__startswith="system."),
                name="run_one_per_stream_and_day",
            ),
            one_of("run_status_known", "status", states.RUN),
            one_of(
                "run_reason_known_when_paused_or_ended",
                "reason_code",
                (*states.PAUSE_REASONS, "rejected", "expired", "withdrawn", "effect_failed"),
            ),
            models.CheckConstraint(
                name="run_branch_has_a_parent",
                condition=models.Q(parent__isnull=True, branch__isnull=True)
                | models.Q(parent__isnull=False, branch__isnull=False),
            ),
            models.CheckConstraint(
                name="run_ended_at_means_terminal",
                condition=models.Q(_IS_TERMINAL, ended_at__isnull=False)
                | models.Q(~models.Q(_IS_TERMINAL), ended_at__isnull=True),
            ),
        ]
        indexes = [
            models.Index(fields=["-created_at", "run_id"], name="run_newest_first"),
            models.Index(fields=["initiator", "-created_at", "run_id"], name="run_by_initiator"),
            models.Index(
                fields=["run_id"],
                name="run_working",
                condition=models.Q(status__in=states.WORKING),
            ),
            models.Index(
                fields=["run_id"],
                name="run_not_ended",
                condition=models.Q(ended_at__isnull=True),
            ),
            models.Index(
                fields=["reason_code"],
                name="run_paused",
                condition=models.Q(status="paused"),
            ),
            models.Index(
                fields=["wake_at"],
                name="run_waking",
                condition=models.Q(wake_at__isnull=False),
            ),
        ]


class Event(models.Model):
    """An immutable past-tense fact; the ordered, hash-chained events of a run are its log.

    `payload_hash` = SHA-256(salt ‖ payload) stays when payload and salt are erased, so the
    chain still verifies.
    """

    pk = models.CompositePrimaryKey("run_id", "seq")
    run = models.ForeignKey(Run, models.PROTECT, related_name="events", db_index=False)
    seq = models.BigIntegerField()
    kind = models.TextField()
    actor = models.TextField()
    at = models.DateTimeField()
    payload = models.BinaryField(null=True)
    salt = models.BinaryField(null=True)
    payload_hash = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        constraints = [
            models.CheckConstraint(name="event_seq_from_one", condition=models.Q(seq__gte=1)),
        ]
        indexes = [
            models.Index(fields=["-at"], name="event_newest_first"),
            models.Index(fields=["kind", "-at"], name="event_by_kind"),
            # Almost all are the worker's: the newest of those are found by their instants, and a
            # worker's transition has an index less to write to.
            models.Index(
                fields=["actor", "-at"],
                name="event_by_actor",
                condition=~models.Q(actor=states.WORKER),
            ),
        ]


class SearchableField(models.Model):
    """A field of the state that the workflow declares searchable, as of the newest checkpoint."""

    pk = models.CompositePrimaryKey("run_id", "name")
    run = models.ForeignKey(Run, models.PROTECT, related_name="fields", db_index=False)
    name = models.TextField()
    text = models.TextField(null=True)
    number = models.DecimalField(max_digits=1000, decimal_places=100, null=True)

    class Meta:
        indexes = [
            models.Index(fields=["name", "number"], name="field_by_number"),
            models.Index(fields=["name", "text"], name="field_by_text"),
        ]


class Checkpoint(models.Model):
    """A saved execution boundary from which a run can be safely resumed.

    The JSON columns are text in canonical form: the checksum is over their bytes.
    """

    checkpoint_id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    run = models.ForeignKey(Run, models.PROTECT, related_name="checkpoints", db_index=False)
    state_version = models.BigIntegerField()
    current_node = models.TextField()
    status = models.TextField()
    state_snapshot = models.TextField()
    last_event_sequence = models.BigIntegerField()
    pending_action = models.TextField()
    completed_effects = models.TextField()
    budget_snapshot = models.TextField()
    created_at = models.DateTimeField()
    schema_version = models.PositiveIntegerField()
    checksum = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "last_event_sequence"], name="checkpoint_once_per_seq"
            ),
            one_of("checkpoint_status_known", "status", states.RUN),
        ]
        indexes = [
            models.Index(fields=["-created_at", "-checkpoint_id"], name="checkpoint_newest_first"),
        ]
