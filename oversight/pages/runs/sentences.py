"""The one table of sentences: what each kind of event says, in our words."""

from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _

from oversight.pages.runs import (
    of_branches,
    of_effects,
    of_installation,
    of_people,
    of_proposals,
    of_runs,
    of_waits,
)
from oversight.pages.runs.sentence import Facts, Sentence


def sentence(kind: str, facts: Facts) -> Sentence:
    """What an event says. One that is not in the table is shown by its own name."""
    said = TABLE.get(kind)
    if said is None:
        return Sentence(words=kind, glyph="question", tone="odd")
    try:
        return said(facts)
    except KeyError:  # its payload was erased by design
        return Sentence(words=_("%(kind)s, its content erased") % {"kind": kind}, glyph="eye-off")


TABLE: Mapping[str, Callable[[Facts], Sentence]] = {
    "run_accepted": of_runs.accepted,
    "run_claimed": of_runs.claimed,
    "run_resumed": of_runs.resumed,
    "resume_requested": of_runs.resume_requested,
    "pause_requested": of_runs.pause_requested,
    "cancel_requested": of_runs.cancel_requested,
    "run_moved": of_runs.moved,
    "run_parked": of_waits.parked,
    "wait_begun": of_waits.begun,
    "branches_begun": of_branches.begun,
    "branches_recalled": of_branches.recalled,
    "branches_joined": of_branches.joined,
    "event_received": of_waits.received,
    "wait_elapsed": of_waits.elapsed,
    "run_paused": of_runs.paused,
    "run_ended": of_runs.ended,
    "value_recorded": of_runs.recorded_value,
    "plan_switched": of_runs.plan_switched,
    "budget_spent": of_runs.budget_spent,
    "budget_raised": of_runs.budget_raised,
    "node_failed": of_runs.node_failed,
    "versions_carried_over": of_runs.carried_over,
    "effect_requested": of_proposals.requested,
    "finish_requested": of_proposals.finish,
    "request_taken_up": of_proposals.taken_up,
    "request_dropped": of_proposals.dropped,
    "request_refused": of_proposals.refused,
    "proposal_opened": of_proposals.opened,
    "decision_made": of_proposals.decision,
    "decision_refused": of_proposals.decision_refused,
    "proposal_claimed": of_proposals.claimed,
    "claim_released": of_proposals.released,
    "proposal_reminded": of_proposals.reminded,
    "proposal_escalated": of_proposals.escalated,
    "proposal_approved": of_proposals.closed("approved"),
    "proposal_rejected": of_proposals.closed("rejected"),
    "proposal_returned": of_proposals.closed("returned"),
    "proposal_expired": of_proposals.closed("expired"),
    "proposal_withdrawn": of_proposals.closed("withdrawn"),
    "proposal_retracted": of_proposals.retracted,
    "premises_asked": of_proposals.premises_asked,
    "premises_read": of_proposals.premises_read,
    "proposal_edited": of_proposals.edited,
    "approval_lapsed": of_proposals.lapsed,
    "proposal_lapsed": of_proposals.proposal_lapsed,
    "effect_prepared": of_effects.prepared,
    "effect_intended": of_effects.intended,
    "effect_recorded": of_effects.recorded,
    "effect_reconciled": of_effects.reconciled,
    "effect_verified": of_effects.verified,
    "effect_accepted": of_effects.accepted,
    "effect_committed": of_effects.committed,
    "effect_resolved": of_effects.resolved,
    "probe_requested": of_effects.probe_requested,
    "rollback_authorised": of_effects.authorised,
    "rollback_begun": of_effects.rollback_begun,
    "effect_compensated": of_effects.compensated,
    "alert_raised": of_effects.alert,
    "alert_acknowledged": of_effects.alert_acknowledged,
    "alert_reopened": of_effects.alert_reopened,
    "alert_resolved": of_effects.alert_resolved,
    "late_answer": of_effects.late,
    "stream_begun": of_installation.begun,
    "stop_placed": of_installation.stop_placed,
    "stop_drilled": of_installation.stop_drilled,
    "stop_lift_asked": of_installation.stop_lift_asked,
    "stop_lifted": of_installation.stop_lifted,
    "policy_proposed": of_installation.policy_proposed,
    "policy_put_in_force": of_installation.policy_put_in_force,
    "policy_dropped": of_installation.policy_dropped,
    "invitation_made": of_people.invited,
    "invitation_withdrawn": of_people.invitation_withdrawn,
    "person_added": of_people.added,
    "person_joined": of_people.joined,
    "person_changed": of_people.changed,
    "qualification_granted": of_people.granted,
    "qualification_withdrawn": of_people.withdrawn,
    "event_kept": of_waits.kept,
    "rehearsal_finished": of_installation.rehearsed,
    "export_made": of_installation.export_made,
    "log_verified": of_installation.log_verified,
    "signed_in": of_installation.signed_in,
    "signed_out": of_installation.signed_out,
    "sign_in_refused": of_installation.sign_in_refused,
    "identity_linked": of_installation.identity_linked,
    "identity_unlinked": of_installation.identity_unlinked,
    "factor_added": of_installation.factor_added,
    "factor_removed": of_installation.factor_removed,
    "factor_refused": of_installation.factor_refused,
    "stepped_up": of_installation.stepped_up,
}
