"""Proposals, what people said of them, and the rules in force."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from engine import states

from .constraints import one_of
from .run import Run


class Proposal(models.Model):
    """One version of the request that one effect be allowed.

    `arguments` and `terms` are the frozen bytes that were shown; `digest` commits to both.
    `content` (SHA-256, hex) is the same for whatever asks for the same. `groups`
    are those whose members decide it, by the rule in its terms: once it has escalated, the one that
    it escalated to is among them. `editors` are the people who wrote
    some of it, by the same terms, and so never decide it. `remind_at` and `escalate_at` are NULL
    where the rule asks for neither. `exemption` is the standing one that let it through; or, where
    it is `drawn`, would have, had its lot not been to be asked of people.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    proposal_id = models.UUIDField()
    version = models.PositiveIntegerField()
    run = models.ForeignKey(Run, models.PROTECT, related_name="proposals")
    step_id = models.TextField()
    tool_call_id = models.TextField(null=True)
    action = models.TextField()
    action_version = models.PositiveIntegerField()
    arguments = models.BinaryField()
    content = models.TextField()
    terms = models.BinaryField()
    digest = models.TextField()
    idempotency_key = models.TextField()
    risk = models.TextField()
    policy_version = models.PositiveIntegerField()
    groups = ArrayField(models.TextField())
    training = models.TextField(null=True)
    editors = ArrayField(models.BigIntegerField())
    status = models.TextField()
    question = models.TextField(null=True)
    agent = models.TextField()
    why = models.TextField()
    evidence = models.JSONField(default=list)
    valid_until = models.DateTimeField()
    opened_at = models.DateTimeField()
    remind_at = models.DateTimeField(null=True)
    reminded_at = models.DateTimeField(null=True)
    escalate_at = models.DateTimeField(null=True)
    escalated_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    exemption = models.ForeignKey(
        "engine.Exemption", models.PROTECT, null=True, related_name="proposals"
    )
    drawn = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["proposal_id", "version"], name="proposal_version"),
            models.UniqueConstraint(
                fields=["proposal_id"],
                condition=Q(status__in=("open", "approved")),
                name="proposal_one_live_version",
            ),
            one_of("proposal_status_known", "status", states.PROPOSAL),
            one_of("proposal_risk_known", "risk", states.RISKS),
            models.CheckConstraint(
                name="proposal_escalates_by_its_rule",
                condition=Q(escalated_at=None) | Q(escalate_at__isnull=False),
            ),
            models.CheckConstraint(
                name="proposal_drawn_for_an_exemption",
                condition=Q(drawn=False) | Q(exemption__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["valid_until"], name="proposal_open_by_expiry", condition=Q(status="open")
            ),
            models.Index(
                fields=["remind_at"],
                name="proposal_to_remind_of",
                condition=Q(status="open", remind_at__isnull=False, reminded_at=None),
            ),
            models.Index(
                fields=["escalate_at"],
                name="proposal_to_escalate",
                condition=Q(status="open", escalate_at__isnull=False, escalated_at=None),
            ),
            models.Index(
                fields=["run"],
                name="proposal_live_of_run",
                condition=Q(status__in=("open", "approved")),
            ),
            models.Index(fields=["-opened_at", "id"], name="proposal_newest_first"),
            models.Index(fields=["agent", "content", "opened_at"], name="proposal_by_request"),
            models.Index(
                fields=["-closed_at", "id"],
                name="proposal_closed_newest_first",
                condition=Q(closed_at__isnull=False),
            ),
            models.Index(
                fields=["-closed_at"], name="proposal_expired", condition=Q(status="expired")
            ),
        ]


class StepUp(models.Model):
    """A second factor that somebody has shown, to approve one digest in one session: good once. It
    is that of a proposal version, or of an exemption.

    `session` is the SHA-256 (hex) of what names the session.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    proposal = models.ForeignKey(Proposal, models.PROTECT, null=True, related_name="step_ups")
    exemption = models.ForeignKey(
        "engine.Exemption", models.PROTECT, null=True, related_name="step_ups"
    )
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    digest = models.TextField()
    factor = models.TextField()
    session = models.TextField()
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            one_of("step_up_factor_known", "factor", states.FACTORS),
            models.CheckConstraint(
                name="step_up_for_one_thing",
                condition=Q(proposal=None, exemption__isnull=False)
                | Q(proposal__isnull=False, exemption=None),
            ),
            models.CheckConstraint(
                name="step_up_is_short",
                condition=Q(expires_at__gt=models.F("made_at"))
                & Q(expires_at__lte=models.F("made_at") + timedelta(minutes=5)),
            ),
            models.CheckConstraint(
                name="step_up_has_a_session", condition=Q(session__regex=r"^[0-9a-f]{64}$")
            ),
        ]


class Decision(models.Model):
    """What one reviewer said of one proposal version."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    proposal = models.ForeignKey(Proposal, models.PROTECT, related_name="decisions")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    person_name = models.TextField()
    decision = models.TextField()
    reason_code = models.TextField(null=True)
    reason = models.TextField()
    digest = models.TextField()
    seen = models.JSONField(default=dict)
    step_up = models.OneToOneField(StepUp, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["proposal", "person"], name="decision_one_per_person"),
            one_of("decision_known", "decision", states.DECISIONS),
            models.CheckConstraint(
                name="decision_has_a_reason",
                condition=Q(reason_code__isnull=False) | ~Q(reason=""),
            ),
        ]
        indexes = [
            models.Index(fields=["-decided_at"], name="decision_newest_first"),
            models.Index(fields=["person", "-decided_at"], name="decision_of_person"),
        ]


class Claim(models.Model):
    """Who says that they are looking at a proposal version, and until when; `from_*` is whose claim
    they took over.

    It holds while the version is open, its time is not over, it was not released, and its holder
    may decide and has not.
    """

    proposal = models.OneToOneField(
        Proposal, models.PROTECT, primary_key=True, related_name="claim"
    )
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    person_name = models.TextField()
    from_person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    from_name = models.TextField(null=True)
    claimed_at = models.DateTimeField()
    until = models.DateTimeField()
    released_at = models.DateTimeField(null=True)


class Qualification(models.Model):
    """Somebody is trained for the actions that `actions` stands for: a name, a beginning of names
    with `.*`, or `*`. The caps are how much they may decide of it; NULL: as much as they like."""

    id = models.UUIDField(primary_key=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    training = models.TextField()
    actions = models.TextField()
    most_an_hour = models.PositiveIntegerField(null=True)
    most_a_day = models.PositiveIntegerField(null=True)
    granted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    granted_by_name = models.TextField()
    granted_at = models.DateTimeField()
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField()
    withdrawn_by_name = models.TextField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="qualification_granted_by_another",
                condition=~Q(granted_by=models.F("person")),
            ),
            models.CheckConstraint(
                name="qualification_ends_after_it_begins",
                condition=Q(valid_until__gt=models.F("valid_from")),
            ),
        ]
        indexes = [models.Index(fields=["person", "training"], name="qualification_of_person")]


class Policy(models.Model):
    """Who decides what, how many of them, and when; data with a version.

    `rules` are as `engine.policies.Rule` describes them, in the order in which they are tried.
    `people` (SHA-256, hex) names those among whom it was last looked for proposals that nobody is
    there to decide.
    """

    version = models.PositiveIntegerField(primary_key=True)
    rules = models.JSONField()
    status = models.TextField()
    reason = models.TextField()
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    proposed_by_name = models.TextField()
    proposed_at = models.DateTimeField()
    in_force_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    in_force_by_name = models.TextField(null=True)
    in_force_at = models.DateTimeField(null=True)
    looked_through_at = models.DateTimeField(null=True)
    people = models.TextField(null=True)
    people_looked_at = models.DateTimeField(null=True)
    ended_by_name = models.TextField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["status"], condition=Q(status="in_force"), name="policy_one_in_force"
            ),
            one_of("policy_status_known", "status", states.POLICY),
            models.CheckConstraint(
                name="policy_put_in_force_by_another",
                condition=Q(in_force_by=None)
                | Q(proposed_by=None)
                | ~Q(in_force_by=models.F("proposed_by")),
            ),
        ]


class Stop(models.Model):
    """Nothing new begins in its scope while it stands. `lift_asked_…`: the first of the two who
    have to say that everything may go on."""

    stop_id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    scope = models.TextField()
    reason = models.TextField()
    rollbacks_run = models.BooleanField(default=False)
    placed_by = models.TextField()
    placed_at = models.DateTimeField()
    lift_asked_by = models.TextField(null=True)
    lift_asked_person = models.BigIntegerField(null=True)
    lift_asked_reason = models.TextField(null=True)
    lift_asked_at = models.DateTimeField(null=True)
    lifted_by = models.TextField(null=True)
    lifted_reason = models.TextField(null=True)
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scope"], condition=Q(lifted_at__isnull=True), name="stop_one_per_scope"
            ),
            models.CheckConstraint(name="stop_has_a_reason", condition=~Q(reason="")),
            models.CheckConstraint(
                name="stop_scope_known",
                condition=Q(
                    scope__regex=rf"^({states.EVERYTHING}|({'|'.join(states.STOP_KINDS)}):.+)$"
                ),
            ),
        ]
