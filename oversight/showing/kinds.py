"""What each kind of event is called in a list of many: a word, a sign and a tone."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from oversight.showing.words import Shown


def kind(name: str) -> Shown:
    """How events of this kind are shown. One without words is shown by its own name."""
    word, glyph, tone = KINDS.get(name, (name, "question", "odd"))
    return Shown(word=word, meaning=name, glyph=glyph, tone=tone)


KINDS: Mapping[str, tuple[str | Promise, str, str]] = {
    "run_accepted": (_("Run accepted"), "play", "plain"),
    "run_claimed": (_("Claimed by a worker"), "engine", "plain"),
    "run_resumed": (_("Resumed"), "play", "plain"),
    "resume_requested": (_("Told to go on"), "play", "info"),
    "pause_requested": (_("Asked to stand still"), "pause", "info"),
    "cancel_requested": (_("Asked to end"), "cross-ring", "info"),
    "run_moved": (_("Moved on"), "arrow", "plain"),
    "run_parked": (_("Waits"), "clock", "wait"),
    "wait_begun": (_("Wait begun"), "clock", "wait"),
    "branches_begun": (_("Branched"), "layers", "plain"),
    "branches_recalled": (_("Branches asked to end"), "hourglass", "wait"),
    "branches_joined": (_("Branches joined"), "layers", "info"),
    "event_received": (_("Event received"), "world", "info"),
    "wait_elapsed": (_("Wait over"), "hourglass", "plain"),
    "run_paused": (_("Paused"), "pause", "wait"),
    "run_ended": (_("Run ended"), "ring-dot", "plain"),
    "value_recorded": (_("Value recorded"), "seal", "plain"),
    "plan_switched": (_("Plan switched"), "turn", "plain"),
    "budget_spent": (_("Use told"), "seal", "plain"),
    "budget_raised": (_("Budget raised"), "play", "info"),
    "node_failed": (_("Node failed"), "cross-ring", "bad"),
    "effect_requested": (_("Effect requested"), "bubble", "plain"),
    "finish_requested": (_("Nothing more to propose"), "bubble", "plain"),
    "request_taken_up": (_("Request taken up"), "ring-dot", "plain"),
    "request_dropped": (_("Request dropped"), "minus-ring", "plain"),
    "request_refused": (_("Request refused"), "slash-ring", "bad"),
    "proposal_opened": (_("Proposal opened"), "ballot", "wait"),
    "decision_made": (_("Decision made"), "ballot", "info"),
    "decision_refused": (_("Decision refused"), "slash-ring", "bad"),
    "proposal_claimed": (_("Proposal claimed"), "hourglass", "plain"),
    "claim_released": (_("Claim released"), "minus-ring", "plain"),
    "proposal_approved": (_("Proposal approved"), "check-ring", "good"),
    "proposal_rejected": (_("Proposal rejected"), "cross-ring", "bad"),
    "proposal_returned": (_("Proposal returned"), "bubble", "info"),
    "proposal_expired": (_("Proposal expired"), "hourglass", "plain"),
    "proposal_withdrawn": (_("Proposal withdrawn"), "minus-ring", "plain"),
    "proposal_retracted": (_("Proposal taken off the table"), "minus-ring", "plain"),
    "proposal_lapsed": (_("Proposal lapsed"), "ring-broken", "wait"),
    "proposal_superseded": (_("Proposal superseded"), "layers", "plain"),
    "premises_asked": (_("Premises to be looked at"), "eye", "plain"),
    "premises_read": (_("Premises looked at"), "eye", "info"),
    "proposal_edited": (_("Proposal edited"), "changed", "info"),
    "approval_lapsed": (_("Approval lapsed"), "ring-broken", "wait"),
    "versions_carried_over": (_("Carried over to other versions"), "layers", "wait"),
    "effect_prepared": (_("Effect prepared"), "ring-dashed", "plain"),
    "effect_intended": (_("Effect intended"), "out", "info"),
    "effect_recorded": (_("Answer recorded"), "check", "info"),
    "effect_reconciled": (_("Effect reconciled"), "turn", "info"),
    "effect_resolved": (_("Effect ruled upon"), "person", "info"),
    "effect_accepted": (_("Effect accepted as it is"), "person", "wait"),
    "effect_verified": (_("Effect verified"), "eye", "info"),
    "effect_committed": (_("Effect committed"), "check-twice", "good"),
    "effect_compensated": (_("Effect compensated"), "back-ring", "plain"),
    "probe_requested": (_("Probe requested"), "turn", "info"),
    "rollback_begun": (_("Rollback begun"), "back", "info"),
    "rollback_authorised": (_("Rollback authorised"), "back", "info"),
    "late_answer": (_("Answer came late"), "clock", "odd"),
    "alert_raised": (_("Alert raised"), "warning", "bad"),
    "alert_acknowledged": (_("Alert acknowledged"), "eye", "wait"),
    "alert_reopened": (_("Alert open again"), "warning", "bad"),
    "alert_resolved": (_("Alert resolved"), "check-ring", "good"),
    "erased": (_("Content erased"), "eye-off", "plain"),
    "stream_begun": (_("Day's log begun"), "play", "plain"),
    "stop_placed": (_("Stop placed"), "stop", "bad"),
    "stop_lifted": (_("Stop lifted"), "play", "good"),
    "policy_proposed": (_("Policy proposed"), "ballot", "wait"),
    "policy_put_in_force": (_("Policy put in force"), "ballot", "good"),
    "policy_dropped": (_("Policy dropped"), "ballot", "plain"),
    "person_changed": (_("Person changed"), "person", "wait"),
    "event_kept": (_("Event kept"), "world", "plain"),
    "rehearsal_finished": (_("Rehearsal finished"), "back-ring", "info"),
    "export_made": (_("Export made"), "out", "info"),
    "signed_in": (_("Signed in"), "person", "plain"),
    "signed_out": (_("Signed out"), "leave", "plain"),
    "sign_in_refused": (_("Sign-in refused"), "slash-ring", "bad"),
    "log_verified": (_("Log verified"), "seal", "good"),
}
