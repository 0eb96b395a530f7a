"""Operators have a run stand still, or end: at once where nothing is under way, and never in the
middle of what has been begun."""

import uuid

import pytest

from engine import api
from engine.errors import BadInput, Conflict, NotFound, NotPermitted, Terminal
from engine.models import Effect, Proposal
from tests.cast import AGENT, all_go_on, reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk


def pause(desk: Desk, run_id: uuid.UUID) -> None:
    api.pause_run(
        run_id, operator=reviewer(desk.people.otto), reason="The customer is on the line."
    )


def cancel(desk: Desk, run_id: uuid.UUID) -> None:
    api.cancel_run(run_id, operator=reviewer(desk.people.otto), reason="It is not wanted any more.")


def resume(desk: Desk, run_id: uuid.UUID) -> None:
    api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="Go on.")


def assert_sound(desk: Desk, run_id: uuid.UUID) -> None:
    assert faults_in(desk.database, run_id) == []
    assert_tables_match_the_log(desk.database, run_id)


class TestAPausedRun:
    def test_stands_still_and_its_proposal_stays_to_be_decided(self, desk: Desk) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        pause(desk, proposal.run_id)
        desk.work(proposal.run_id)
        run = desk.run(proposal.run_id)
        assert (run.status, run.reason_code) == ("paused", "operator")

        desk.approve(proposal)
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0

        resume(desk, proposal.run_id)
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 1
        assert_sound(desk, proposal.run_id)

    def test_that_was_asked_for_right_before_the_gate_sends_nothing(self, desk: Desk) -> None:
        proposal = desk.approved_refund(order := desk.purchase())

        with just_before("intend_effect", lambda: pause(desk, proposal.run_id)):
            desk.work(proposal.run_id)

        assert desk.run(proposal.run_id).status == "paused"
        assert Effect.objects.get().status == "prepared"
        assert desk.ledger.movements(order) == 0
        assert_sound(desk, proposal.run_id)

    def test_finishes_an_effect_that_is_under_way(self, desk: Desk) -> None:
        proposal = desk.approved_refund(order := desk.purchase())

        with just_before("record_effect", lambda: pause(desk, proposal.run_id)):
            desk.work(proposal.run_id)

        assert Effect.objects.get().committed_at is not None
        assert desk.ledger.movements(order) == 1
        assert desk.run(proposal.run_id).reason_code == "operator"
        assert_sound(desk, proposal.run_id)

    def test_is_not_paused_again(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        pause(desk, proposal.run_id)
        desk.work(proposal.run_id)

        with pytest.raises(Conflict, match="stands still already"):
            pause(desk, proposal.run_id)


class TestACancelledRun:
    def test_c23_takes_its_open_proposal_off_the_table(self, desk: Desk) -> None:
        proposal = desk.propose_refund(order := desk.purchase())

        cancel(desk, proposal.run_id)
        desk.work(proposal.run_id)

        assert desk.run(proposal.run_id).status == "cancelled"
        assert Proposal.objects.get().status == "withdrawn"
        with pytest.raises(Conflict, match="withdrawn"):
            desk.approve(proposal)
        assert desk.ledger.movements(order) == 0
        assert_sound(desk, proposal.run_id)

    def test_that_was_asked_for_right_before_the_gate_sends_nothing(self, desk: Desk) -> None:
        proposal = desk.approved_refund(order := desk.purchase())

        with just_before("intend_effect", lambda: cancel(desk, proposal.run_id)):
            desk.work(proposal.run_id)

        effect = Effect.objects.get()
        assert desk.run(proposal.run_id).status == "cancelled"
        assert (effect.status, effect.outcome) == ("failed", "not_sent")
        assert desk.ledger.movements(order) == 0
        assert_sound(desk, proposal.run_id)

    def test_c23_waits_for_an_effect_under_way_and_commits_it(self, desk: Desk) -> None:
        proposal = desk.approved_refund(order := desk.purchase())

        with just_before("record_effect", lambda: cancel(desk, proposal.run_id)):
            desk.work(proposal.run_id)

        assert desk.run(proposal.run_id).status == "cancelled"
        assert Effect.objects.get().committed_at is not None
        assert desk.ledger.movements(order) == 1
        assert_sound(desk, proposal.run_id)

    def test_whose_effect_turns_out_wrong_is_rolled_back_instead(self, desk: Desk) -> None:
        proposal = desk.approved_refund(order := desk.purchase(handling_fee="1.50"))

        with just_before("record_effect", lambda: cancel(desk, proposal.run_id)):
            desk.work(proposal.run_id)

        assert desk.run(proposal.run_id).status == "rolled_back"
        assert desk.ledger.refunded(order) == "0.00"
        assert_sound(desk, proposal.run_id)

    def test_stood_still_before(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        pause(desk, proposal.run_id)
        desk.work(proposal.run_id)

        cancel(desk, proposal.run_id)
        desk.work(proposal.run_id)

        assert desk.run(proposal.run_id).status == "cancelled"
        assert_sound(desk, proposal.run_id)

    def test_waits_until_a_person_has_said_what_became_of_an_unknown_effect(
        self, desk: Desk
    ) -> None:
        run_id = desk.approved_refund().run_id
        with just_before("intend_effect", desk.ledger.shut):
            desk.work(run_id)
        cancel(desk, run_id)
        while desk.run(run_id).status != "paused":
            desk.work_on_after_waiting(run_id)
        assert Effect.objects.get().status == "unknown"

        desk.ledger.open()
        desk.database.call_is_over_for(run_id)
        api.resolve_effect(
            run_id,
            Effect.objects.get().pk,
            operator=reviewer(desk.people.otto),
            resolution="did_not_happen",
            reason="The ledger was shut.",
            seen_evidence="Its log of today.",
        )
        desk.work(run_id)

        assert desk.run(run_id).status == "cancelled"
        assert faults_in(desk.database, run_id) == []

    def test_was_waiting_for_its_agent(self, desk: Desk) -> None:
        run_id = desk.start_run()
        desk.work(run_id)

        cancel(desk, run_id)
        desk.work(run_id)

        assert desk.run(run_id).status == "cancelled"
        with pytest.raises(Terminal):
            api.finish_run(run_id, agent=AGENT)

    def test_is_not_asked_anything_any_more(self, desk: Desk) -> None:
        run_id = desk.start_run()
        cancel(desk, run_id)
        desk.work(run_id)

        for ask in (pause, cancel):
            with pytest.raises(Terminal):
                ask(desk, run_id)


def test_to_end_outweighs_to_pause_in_either_order(desk: Desk) -> None:
    for asked in ((pause, cancel), (cancel, pause)):
        run_id = desk.propose_refund().run_id
        for ask in asked:
            ask(desk, run_id)
        desk.work(run_id)
        assert desk.run(run_id).status == "cancelled"


@pytest.mark.parametrize("ask", [pause, cancel])
def test_a_run_that_nobody_works_on_is_found_by_the_sweep(desk: Desk, ask: object) -> None:
    from engine import sweeper

    run_id = desk.propose_refund().run_id
    assert run_id not in sweeper.run_once().runs
    ask(desk, run_id)  # type: ignore[operator]
    assert run_id in sweeper.run_once().runs


def test_only_operators_with_a_reason_ask(desk: Desk) -> None:
    run_id = desk.propose_refund().run_id
    for verb in (api.pause_run, api.cancel_run):
        with pytest.raises(NotPermitted, match="only operators"):
            verb(run_id, operator=reviewer(desk.people.rosa), reason="I would like to.")
        with pytest.raises(BadInput, match="reason"):
            verb(run_id, operator=reviewer(desk.people.otto), reason=" ")
    assert "pause_requested" not in desk.database.kinds(run_id)


def test_of_the_installation_s_own_logs_nothing_is_asked(desk: Desk) -> None:
    """No worker takes them up; one that was woken would never come to rest."""
    otto = reviewer(desk.people.otto)
    api.stop_everything(otto, "A drill.")
    all_go_on(desk.people)
    log = desk.database.value("SELECT run_id FROM engine_run WHERE workflow = 'system.stops'")
    before = desk.database.kinds(log)

    for ask in (pause, cancel):
        with pytest.raises(Conflict, match="log of the installation"):
            ask(desk, log)
    with pytest.raises(Conflict, match="log of the installation"):
        api.raise_budget(log, {"max_steps": 1}, operator=otto, reason="To see.")
    with pytest.raises((BadInput, NotFound)):
        api.fork_run(log, 1, operator=otto, reason="To see.")

    assert desk.database.kinds(log) == before
