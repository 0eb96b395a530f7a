"""A message is a hint: twice, late, in a wrong order or lost, it changes nothing."""

import uuid

from engine import api, sweeper, tasks, worker
from engine.store import proposals, runs
from tests.cast import AGENT, all_go_on, reviewer
from tests.engine.together import just_before, together
from tests.faults.processes import Broker
from tests.world import Desk

AGAIN = range(5)


def an_ended_run(desk: Desk) -> uuid.UUID:
    run_id = desk.start_run("refund", order=desk.purchase(), customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    desk.work(run_id)
    assert desk.run(run_id).status == "completed"
    return run_id


def test_c35_after_the_end_it_changes_nothing(desk: Desk) -> None:
    run_id = an_ended_run(desk)
    before = desk.database.log(run_id)

    assert {worker.run_once(run_id).outcome for _ in AGAIN} == {"nothing to do"}
    assert desk.database.log(run_id) == before


def test_while_the_run_waits_it_changes_nothing(desk: Desk) -> None:
    run_id = desk.propose_refund().run_id
    before = desk.database.log(run_id)

    assert {worker.run_once(run_id).outcome for _ in AGAIN} == {"nothing to do"}
    assert desk.database.log(run_id) == before


def test_for_a_run_that_never_was_it_is_no_error(desk: Desk) -> None:
    tasks.advance(str(uuid.uuid4()))


def test_c22_eight_at_once_move_money_once(desk: Desk) -> None:
    order = desk.purchase()
    run_id = desk.approved_refund(order).run_id

    done = together([lambda: worker.run_once(run_id)] * 8)

    assert sorted(one.outcome for one in done) == ["nothing to do"] * 7 + ["waiting_external"]
    assert desk.ledger.movements(order) == 1


class TestTheSweep:
    """It finds whatever needs a worker and has none."""

    def test_finds_a_run_that_was_accepted(self, desk: Desk) -> None:
        run_id = desk.start_run()

        assert sweeper.run_once().runs == (run_id,)

    def test_finds_a_run_whose_agent_spoke(self, desk: Desk) -> None:
        run_id = desk.start_run()
        desk.work(run_id)
        assert sweeper.run_once().runs == ()
        desk.ask_for_refund(run_id, desk.purchase())

        assert sweeper.run_once().runs == (run_id,)

    def test_finds_a_run_with_a_decision(self, desk: Desk) -> None:
        for decision in ("approve", "reject", "return"):
            proposal = desk.propose_refund()
            desk.decide(proposal, decision)
            assert proposal.run_id in sweeper.run_once().runs

    def test_finds_a_run_whose_timer_is_due(self, desk: Desk) -> None:
        run_id = desk.start_run()
        desk.work(run_id)
        desk.database.time_passes_for(run_id)

        assert sweeper.run_once().runs == (run_id,)

    def test_finds_a_paused_run_only_once_a_person_lets_it_go_on(self, desk: Desk) -> None:
        proposal, otto = desk.approved_refund(), reviewer(desk.people.otto)
        desk.database.execute("UPDATE engine_proposal SET digest = repeat('0', 64)")
        desk.work(proposal.run_id)
        assert desk.run(proposal.run_id).reason_code == "checksum_mismatch"
        assert sweeper.run_once().runs == ()
        api.resume_run(proposal.run_id, reviewer=otto, reason="Look again.")

        assert sweeper.run_once().runs == (proposal.run_id,)

    def test_finds_a_run_that_paused_for_a_stop_while_the_stop_was_lifted(self, desk: Desk) -> None:
        order = desk.purchase()
        run_id, otto = desk.approved_refund(order).run_id, reviewer(desk.people.otto)
        api.stop_everything(otto, "Something is odd.")

        with just_before("run_paused", lambda: all_go_on(desk.people)):
            desk.work(run_id)

        assert run_id in sweeper.run_once().runs
        desk.work(run_id)
        assert desk.run(run_id).status == "waiting_approval"

    def test_finds_a_run_whose_worker_is_gone(self, desk: Desk) -> None:
        run_id = desk.start_run()
        runs.claim_run_if_free(run_id, "gone:1", 30.0)
        assert sweeper.run_once().runs == ()
        desk.database.time_passes_for(run_id)

        assert sweeper.run_once().runs == (run_id,)

    def test_leaves_alone_what_waits_for_a_person_or_has_ended(self, desk: Desk) -> None:
        desk.propose_refund()
        an_ended_run(desk)

        assert sweeper.run_once().runs == ()

    def test_c33_expires_what_nobody_decided_and_finds_its_run(self, desk: Desk) -> None:
        proposal, other = desk.propose_refund(), desk.propose_refund()
        desk.database.deadline_passes_for(proposal.pk)

        swept = sweeper.run_once()

        assert swept.expired == 1
        assert swept.runs == (proposal.run_id,)
        proposal.refresh_from_db()
        other.refresh_from_db()
        assert (proposal.status, other.status) == ("expired", "open")

    def test_expires_nothing_before_its_time_whoever_asks(self, desk: Desk) -> None:
        proposal = desk.propose_refund()

        assert not proposals.expire_proposal_if_overdue(proposal.run_id, proposal.pk)

        proposal.refresh_from_db()
        assert proposal.status == "open"

    def test_expires_once(self, desk: Desk) -> None:
        three = [desk.propose_refund() for _ in range(3)]
        for proposal in three:
            desk.database.deadline_passes_for(proposal.pk)

        swept = together([sweeper.run_once] * 6)

        assert sum(one.expired for one in swept) == 3
        kinds = [kind for one in three for kind in desk.database.kinds(one.run_id)]
        assert kinds.count("proposal_expired") == 3

    def test_is_what_brings_every_run_of_a_lost_broker_home(self, desk: Desk) -> None:
        """No message ever arrives: sweeps alone carry ten runs to where they wait."""
        ten = [desk.approved_refund().run_id for _ in range(10)]
        desk.database.hints.clear()

        for found in sweeper.run_once().runs:
            worker.run_once(found)

        assert sweeper.run_once().runs == ()
        assert all("effect_committed" in desk.database.kinds(run) for run in ten)


class TestTheBroker:
    def test_carries_nothing_but_the_run_s_id(self, desk: Desk, broker: Broker) -> None:
        run_id = desk.start_run()

        assert broker.messages() == 1
        assert broker.bodies() == [[[str(run_id)], {}]]

    def test_c21_that_is_flushed_loses_nothing(self, desk: Desk, broker: Broker) -> None:
        run_id = desk.start_run()
        broker.flush()
        assert broker.messages() == 0

        tasks.sweep()

        assert broker.messages() == 1
        assert broker.bodies() == [[[str(run_id)], {}]]

    def test_that_is_down_keeps_nobody_from_anything(
        self, desk: Desk, broker: Broker, monkeypatch
    ) -> None:
        monkeypatch.setattr(tasks.advance, "apply_async", lost)

        run_id = desk.start_run()
        desk.ask_for_refund(run_id, desk.purchase())

        assert sweeper.run_once().runs == (run_id,)


def lost(*args: object, **kwargs: object) -> None:
    raise ConnectionRefusedError("the broker is down")


def test_a_finished_agent_is_not_asked_again(desk: Desk) -> None:
    run_id = desk.start_run()
    api.finish_run(run_id, agent=AGENT)
    desk.work(run_id)

    assert desk.run(run_id).status == "completed"
    assert sweeper.run_once().runs == ()
