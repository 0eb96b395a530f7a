"""The only way in for pages, for the agents' API and for commands.

Every verb checks what was sent, goes through one door, and hints at the run that it woke.
Errors are those of `engine.errors`; nothing is half-written.
"""

from engine.store.doors import must_be_installed

from .agents import (
    answer_question,
    finish_run,
    note_refused_request,
    request_effect,
    start_run,
    withdraw_proposal,
)
from .auditors import export_events, large_value, matches_checksum, position_at, verify_log
from .claims import claim, release
from .edits import edit, why_not_edit
from .entrance import (
    note_factor_added,
    note_factor_refused,
    note_factor_removed,
    note_identity_linked,
    note_identity_unlinked,
    note_sign_in_refused,
    note_signed_in,
    note_signed_out,
)
from .exemptions import (
    approve_exemption,
    end_exemption,
    propose_exemption,
    step_up_for_exemption,
    why_not_exempt,
)
from .forks import fork_run
from .invitations import (
    note_invitation_withdrawn,
    note_invited,
    note_joined,
    note_person_added,
)
from .operators import (
    accept_effect,
    acknowledge_alert,
    cancel_run,
    pause_run,
    probe_again,
    raise_budget,
    resolve_alert,
    resolve_effect,
    resume_run,
)
from .outside import Delivery, deliver_event
from .people import Standing, change_person
from .policies import (
    Short,
    beyond_reach,
    drop_policy,
    propose_policy,
    put_policy_in_force,
    short_of,
)
from .premises import look_again
from .qualifications import grant_qualification, withdraw_qualification
from .rehearsals import keep_drill, keep_rehearsal
from .reviewers import (
    decide,
    note_refused_decision,
    step_up,
    take_back_approval,
    why_not_decide,
)
from .rollbacks import confirm_by_hand, preview_rollback, roll_back
from .stops import TO_AGREE, go_on, halt_receipt, stop, stop_everything, stop_over
from .who import Command, Initiator, Reviewer, Speaker

__all__ = [
    "TO_AGREE",
    "Command",
    "Delivery",
    "Initiator",
    "Reviewer",
    "Short",
    "Speaker",
    "Standing",
    "accept_effect",
    "acknowledge_alert",
    "answer_question",
    "approve_exemption",
    "beyond_reach",
    "cancel_run",
    "change_person",
    "claim",
    "confirm_by_hand",
    "decide",
    "deliver_event",
    "drop_policy",
    "edit",
    "end_exemption",
    "export_events",
    "finish_run",
    "fork_run",
    "go_on",
    "grant_qualification",
    "halt_receipt",
    "keep_drill",
    "keep_rehearsal",
    "large_value",
    "look_again",
    "matches_checksum",
    "must_be_installed",
    "note_factor_added",
    "note_factor_refused",
    "note_factor_removed",
    "note_identity_linked",
    "note_identity_unlinked",
    "note_invitation_withdrawn",
    "note_invited",
    "note_joined",
    "note_person_added",
    "note_refused_decision",
    "note_refused_request",
    "note_sign_in_refused",
    "note_signed_in",
    "note_signed_out",
    "pause_run",
    "position_at",
    "preview_rollback",
    "probe_again",
    "propose_exemption",
    "propose_policy",
    "put_policy_in_force",
    "raise_budget",
    "release",
    "request_effect",
    "resolve_alert",
    "resolve_effect",
    "resume_run",
    "roll_back",
    "short_of",
    "start_run",
    "step_up",
    "step_up_for_exemption",
    "stop",
    "stop_everything",
    "stop_over",
    "take_back_approval",
    "verify_log",
    "why_not_decide",
    "why_not_edit",
    "why_not_exempt",
    "withdraw_proposal",
    "withdraw_qualification",
]
