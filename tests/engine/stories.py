"""What may befall a run, each told in full by its log."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from engine import api, sweeper
from engine.errors import NotPermitted
from engine.models import Alert, Effect
from oversight.demo.placet_actions import Refund
from tests.cast import AGENT, all_go_on, reviewer
from tests.engine.editing import edit
from tests.engine.newer import newer_action, newer_code
from tests.engine.together import just_before
from tests.world import Desk

PATIENCE = timedelta(seconds=20)


def committed(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    api.finish_run(proposal.run_id, agent=AGENT)
    desk.work(proposal.run_id)
    return proposal.run_id


def two_in_a_row(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    desk.ask_for_refund(proposal.run_id, desk.purchase(), tool_call_id="call_2")
    desk.work(proposal.run_id)
    desk.approve(desk.proposal(proposal.run_id))
    desk.work(proposal.run_id)
    return proposal.run_id


def rejected(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund(evidence=[{"photo": "broken lamp"}])
    desk.decide(proposal, "reject", reason_code="wrong_amount", reason="")
    desk.work(proposal.run_id)
    return proposal.run_id


def asked_again_despite_a_rejection(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    desk.decide(proposal, "reject")
    desk.work(proposal.run_id)
    api.request_effect(
        proposal.run_id,
        agent=proposal.agent,
        action=proposal.action,
        arguments=json.loads(bytes(proposal.arguments)),
        why="The lamp arrived broken.",
        despite=proposal.proposal_id,
        what_changed="The customer sent a photograph.",
    )
    desk.work(proposal.run_id)
    return proposal.run_id


def returned_answered_and_approved(desk: Desk) -> uuid.UUID:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    desk.decide(proposal, "return")
    desk.work(proposal.run_id)
    desk.answer(proposal, order, "20.00")
    desk.work(proposal.run_id)
    desk.approve(desk.proposal(proposal.run_id))
    desk.work(proposal.run_id)
    return proposal.run_id


def looked_at_before_it_was_decided(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    api.look_again(proposal.run_id, proposal.pk, reviewer=reviewer(desk.people.rosa))
    desk.work(proposal.run_id)
    desk.approve(proposal)
    desk.work(proposal.run_id)
    return proposal.run_id


def edited_and_approved_by_another(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    edit(desk, proposal, by=desk.people.somebody("mina", "reviewer"), amount="20.00")
    desk.work(proposal.run_id)
    desk.approve(desk.proposal(proposal.run_id))
    desk.work(proposal.run_id)
    return proposal.run_id


def decided_by_who_may_not(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    with pytest.raises(NotPermitted):
        desk.approve(proposal, by=desk.people.tomas)
    return proposal.run_id


def claimed_taken_over_and_let_go(desk: Desk) -> uuid.UUID:
    proposal, rosa = desk.propose_refund(), reviewer(desk.people.rosa)
    mina = reviewer(desk.people.somebody("mina", "reviewer"))
    api.claim(proposal.run_id, proposal.pk, reviewer=rosa)
    api.claim(proposal.run_id, proposal.pk, reviewer=mina, take_over_from=rosa.person_id)
    api.release(proposal.run_id, proposal.pk, reviewer=mina)
    return proposal.run_id


def lapsed_since_the_world_changed(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund(amount="25.00")
    desk.ledger.set_balance("1.00")
    desk.work(proposal.run_id)
    return proposal.run_id


def refused_by_the_target(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund(desk.purchase(paid="20.00"), amount="25.00")
    desk.work(proposal.run_id)
    return proposal.run_id


def rolled_back(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund(desk.purchase(handling_fee="1.50"))
    desk.work(proposal.run_id)
    assert desk.run(proposal.run_id).status == "rolled_back"
    return proposal.run_id


def rolled_back_by_an_operator(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    take_back(desk, proposal.run_id)
    assert desk.run(proposal.run_id).status == "rolled_back"
    return proposal.run_id


def rolled_back_after_its_end(desk: Desk) -> uuid.UUID:
    run_id = committed(desk)
    take_back(desk, run_id)
    assert desk.database.kinds(run_id)[-1] == "effect_compensated"
    return run_id


def the_run_that_rolls_another_back(desk: Desk) -> uuid.UUID:
    run_id = take_back(desk, committed(desk))
    assert desk.run(run_id).status == "rolled_back"
    return run_id


def taken_back_by_hand(desk: Desk) -> uuid.UUID:
    """The rollback was prepared when it turned out that somebody else had been there."""
    order = desk.purchase()
    run_id = desk.approved_refund(order).run_id
    desk.work(run_id)
    desk.ledger.execute("UPDATE purchase SET refunded = 30.00 WHERE order_no = %s", order)
    take_back(desk, run_id)
    effect = Effect.objects.get(compensates=None)
    api.confirm_by_hand(
        run_id,
        effect.pk,
        operator=reviewer(desk.people.otto),
        seen_evidence="The bank's letter.",
        reason="They paid it back.",
    )
    desk.work(run_id)
    assert desk.run(run_id).status == "rolled_back"
    return run_id


def take_back(desk: Desk, run_id: uuid.UUID) -> uuid.UUID:
    otto = reviewer(desk.people.otto)
    by = api.roll_back(run_id, operator=otto, reason="It was sound.")
    desk.work(by)
    return by


def stopped_and_let_go_on(desk: Desk) -> uuid.UUID:
    proposal, otto = desk.approved_refund(), reviewer(desk.people.otto)
    api.stop_everything(otto, "Something is odd.")
    desk.work(proposal.run_id)
    all_go_on(desk.people)
    desk.work(proposal.run_id)
    desk.approve(desk.proposal(proposal.run_id))
    desk.work(proposal.run_id)
    return proposal.run_id


def lapsed_by_the_sweep_under_a_stop(desk: Desk) -> uuid.UUID:
    """Right before the gate: what was prepared is not sent."""
    proposal, otto = desk.approved_refund(), reviewer(desk.people.otto)

    def stop_and_sweep() -> None:
        api.stop_everything(otto, "Something is odd.")
        assert sweeper.run_once().lapsed == 1

    with just_before("intend_effect", stop_and_sweep):
        desk.work(proposal.run_id)
    return proposal.run_id


def paused_and_resumed(desk: Desk) -> uuid.UUID:
    effect, otto = nobody_can_tell(desk), reviewer(desk.people.otto)
    api.resume_run(effect.run_id, reviewer=otto, reason="It answers again.")
    desk.work(effect.run_id)
    return effect.run_id


def closed_without_any_effect(desk: Desk) -> uuid.UUID:
    run_id = desk.start_run("refund", order="none", customer="Mara Vogel", amount="0.00")
    desk.work(run_id)
    return run_id


def unknown_and_found(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    with desk.ledger.answers_lost():
        desk.work(proposal.run_id)
    assert "effect_reconciled" in desk.database.kinds(proposal.run_id)
    return proposal.run_id


def withdrawn_while_open(desk: Desk) -> uuid.UUID:
    proposal = desk.propose_refund()
    api.withdraw_proposal(proposal.run_id, proposal.proposal_id, agent=AGENT)
    desk.work(proposal.run_id)
    return proposal.run_id


def withdrawn_right_before_the_gate(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()

    def withdraw() -> None:
        api.withdraw_proposal(proposal.run_id, proposal.proposal_id, agent=AGENT)

    with just_before("intend_effect", withdraw):
        desk.work(proposal.run_id)
    assert Effect.objects.get().outcome == "not_sent"
    return proposal.run_id


def carried_over_while_it_was_prepared(desk: Desk) -> uuid.UUID:
    run_id = desk.approved_refund().run_id
    with newer_code(), just_before("prepare_effect", lambda: newer_action(Refund)):
        desk.work(run_id)
        desk.approve(desk.proposal(run_id))
        desk.work(run_id)
    return run_id


def cancelled_right_before_the_gate(desk: Desk) -> uuid.UUID:
    run_id, otto = desk.approved_refund().run_id, reviewer(desk.people.otto)

    def cancel() -> None:
        api.cancel_run(run_id, operator=otto, reason="It is not wanted any more.")

    with just_before("intend_effect", cancel):
        desk.work(run_id)
    return run_id


def paused_and_forked(desk: Desk) -> uuid.UUID:
    run_id, otto = desk.propose_refund().run_id, reviewer(desk.people.otto)
    api.pause_run(run_id, operator=otto, reason="Wait.")
    desk.work(run_id)
    new = api.fork_run(run_id, desk.run(run_id).last_seq, operator=otto, reason="Once more.")
    desk.work(new)
    return new


def nobody_can_tell(desk: Desk) -> Effect:
    """An effect whose target stopped answering in the middle of the call, until a person asks."""
    run_id = desk.approved_refund().run_id
    with just_before("intend_effect", desk.ledger.shut):
        desk.work(run_id)
    while desk.run(run_id).status != "paused":
        desk.work_on_after_waiting(run_id)
    desk.ledger.open()
    return Effect.objects.get(run_id=run_id)


def ruled_that_it_happened(desk: Desk) -> uuid.UUID:
    effect = nobody_can_tell(desk)
    rule(desk, effect, "happened", resource_id="A-1")
    return effect.run_id


def ruled_that_it_did_not_happen(desk: Desk) -> uuid.UUID:
    effect = nobody_can_tell(desk)
    desk.database.execute(
        "UPDATE engine_effect SET call_deadline = call_deadline - '1 d'::interval"
    )
    rule(desk, effect, "did_not_happen")
    desk.database.execute(
        "UPDATE engine_effect SET call_deadline = call_deadline + '1 d'::interval"
    )
    return effect.run_id


def ruled_that_it_happened_partly(desk: Desk) -> uuid.UUID:
    effect = nobody_can_tell(desk)
    rule(desk, effect, "partly", resource_id="A-1")
    return effect.run_id


def asked_again(desk: Desk) -> uuid.UUID:
    effect = nobody_can_tell(desk)
    api.probe_again(effect.run_id, effect.pk, operator=reviewer(desk.people.otto))
    desk.work(effect.run_id)
    return effect.run_id


def rule(desk: Desk, effect: Effect, resolution: str, resource_id: str | None = None) -> None:
    api.resolve_effect(
        effect.run_id,
        effect.pk,
        operator=reviewer(desk.people.otto),
        resolution=resolution,
        reason="I asked the bank.",
        seen_evidence="Their letter of today.",
        resource_id=resource_id,
    )
    desk.work(effect.run_id)


def an_alert_taken_on_and_dealt_with(desk: Desk) -> uuid.UUID:
    run_id, otto = rolled_back(desk), reviewer(desk.people.otto)
    alert = Alert.objects.get()
    due = datetime.now(UTC) + timedelta(hours=1)
    api.acknowledge_alert(
        run_id, alert.pk, operator=otto, cause="A fee.", next_step="Ask the bank.", due_at=due
    )
    api.resolve_alert(run_id, alert.pk, operator=otto, resolution="They paid it back.")
    return run_id


def an_alert_that_was_taken_on_and_is_open_again(desk: Desk) -> uuid.UUID:
    run_id, otto = rolled_back(desk), reviewer(desk.people.otto)
    alert = Alert.objects.get()
    due = datetime.now(UTC) + timedelta(milliseconds=100)
    api.acknowledge_alert(
        run_id, alert.pk, operator=otto, cause="A fee.", next_step="Ask the bank.", due_at=due
    )
    while not sweeper.run_once().reopened:
        assert datetime.now(UTC) < due + PATIENCE
    assert desk.database.kinds(run_id)[-1] == "alert_reopened"
    return run_id


def the_log_of_stops(desk: Desk) -> uuid.UUID:
    otto = reviewer(desk.people.otto)
    api.stop_everything(otto, "Something is odd.")
    all_go_on(desk.people)
    run_id = desk.database.value("SELECT run_id FROM engine_run WHERE workflow = 'system.stops'")
    assert desk.database.kinds(run_id) == [
        "stream_begun",
        "stop_placed",
        "stop_lift_asked",
        "stop_lifted",
    ]
    return run_id
