"""An exported log folded into the rows it should have left, in plain Python.

Deliberately imports nothing of the engine: if the log and the tables say the same, whoever holds
the log holds everything. Only a run's lease and wake-up time are not in it, nor when its
branches had all ended, which is in theirs.
"""

import json
from collections.abc import Callable, Iterable

from tests.engine.replay import alerts, effects, proposals, runs
from tests.engine.replay.rows import Fact, Row, Tables

NOT_IN_THE_LOG = {
    "engine_run": {"lease_owner", "lease_token", "lease_until", "wake_at"},
    "engine_wait": {"joinable_at"},
}


def replayed(events: Iterable[Row]) -> Tables:
    """The tables that these events, each run's in order, leave in an empty database."""
    tables = Tables()
    for event in events:
        fact = Fact(
            run_id=str(event["run_id"]),
            seq=event["seq"],
            kind=event["kind"],
            actor=event["actor"],
            at=event["at"],
            hash=bytes(event["hash"]),
            said=json.loads(bytes(event["payload"])),
        )
        HANDLERS[fact.kind](tables, fact)
        run = tables.engine_run[fact.run_id]
        run.update(last_seq=fact.seq, head=fact.hash, last_at=fact.at)
    return tables


HANDLERS: dict[str, Callable[[Tables, Fact], None]] = {
    "run_accepted": runs.accepted,
    "stream_begun": runs.begun,
    "stop_placed": runs.heard,
    "stop_drilled": runs.heard,
    "stop_lift_asked": runs.heard,
    "stop_lifted": runs.heard,
    "rehearsal_finished": runs.heard,
    "identity_linked": runs.heard,
    "identity_unlinked": runs.heard,
    "factor_added": runs.heard,
    "factor_removed": runs.heard,
    "factor_refused": runs.heard,
    "stepped_up": runs.heard,
    "policy_proposed": runs.heard,
    "policy_put_in_force": runs.heard,
    "policy_dropped": runs.heard,
    "exemption_proposed": runs.heard,
    "exemption_approved": runs.heard,
    "exemption_ended": runs.heard,
    "person_changed": runs.heard,
    "invitation_made": runs.heard,
    "invitation_withdrawn": runs.heard,
    "person_added": runs.heard,
    "person_joined": runs.heard,
    "qualification_granted": runs.heard,
    "qualification_withdrawn": runs.heard,
    "run_claimed": runs.claimed,
    "run_resumed": runs.moved,
    "run_moved": runs.moved,
    "run_parked": runs.moved,
    "run_paused": runs.moved,
    "run_ended": runs.moved,
    "plan_switched": runs.moved,
    "budget_spent": runs.moved,
    "budget_raised": runs.with_another_budget,
    "resume_requested": runs.heard,
    "pause_requested": runs.heard,
    "cancel_requested": runs.heard,
    "wait_begun": runs.wait_begun,
    "branches_begun": runs.wait_begun,
    "branches_recalled": runs.stepped,
    "branches_joined": runs.joined,
    "event_received": runs.received,
    "wait_elapsed": runs.wait_over,
    "event_kept": runs.heard,
    "node_failed": runs.moved,
    "value_recorded": runs.moved,
    "request_taken_up": runs.moved,
    "request_dropped": runs.moved,
    "rollback_authorised": effects.authorised,
    "rollback_begun": runs.moved,
    "effect_compensated": effects.taken_back,
    "effect_requested": runs.heard,
    "finish_requested": runs.heard,
    "request_refused": runs.heard,
    "decision_refused": runs.heard,
    "proposal_claimed": proposals.claimed_by_somebody,
    "claim_released": proposals.let_go,
    "late_answer": runs.heard,
    "proposal_opened": proposals.opened,
    "decision_made": proposals.decided,
    "proposal_approved": proposals.closed("approved"),
    "proposal_exempted": proposals.exempted,
    "proposal_drawn": proposals.drawn,
    "proposal_rejected": proposals.closed("rejected"),
    "proposal_returned": proposals.closed("returned"),
    "proposal_reminded": proposals.reminded,
    "proposal_escalated": proposals.escalated,
    "proposal_expired": proposals.closed("expired"),
    "proposal_withdrawn": proposals.unsent("withdrawn"),
    "proposal_lapsed": proposals.unsent("lapsed"),
    "proposal_edited": proposals.edited,
    "premises_asked": runs.heard,
    "premises_read": runs.stepped,
    "proposal_retracted": proposals.retracted,
    "approval_lapsed": proposals.lapsed,
    "versions_carried_over": proposals.carried_over,
    "effect_prepared": effects.prepared,
    "effect_intended": effects.intended,
    "effect_recorded": effects.settled,
    "effect_reconciled": effects.settled,
    "effect_verified": effects.verified,
    "effect_accepted": effects.accepted_as_it_is,
    "effect_committed": effects.committed,
    "probe_requested": runs.heard,
    "effect_resolved": effects.ruled,
    "alert_raised": alerts.alerted,
    "alert_acknowledged": alerts.acknowledged,
    "alert_reopened": alerts.reopened,
    "alert_resolved": alerts.dealt_with,
}
