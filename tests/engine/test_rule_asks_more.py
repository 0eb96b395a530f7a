"""What a rule asks for besides people: time to think, and a rehearsal that still counts."""

import pytest

from engine import api, execution, rehearsing
from engine.errors import NotRehearsed
from engine.models import Proposal
from engine.rehearsing import Assertion, Played
from oversight.embedded.waiting import until
from tests.cast import reviewer
from tests.engine.rules import asking, stands
from tests.world import Desk


class TestWaiting:
    def test_an_approved_effect_waits_as_long_as_the_rule_says(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), wait_seconds=3600))
        proposal = desk.approved_refund(order := desk.purchase())
        desk.work(proposal.run_id)

        run = desk.run(proposal.run_id)
        assert run.status == "waiting_approval"
        assert run.wake_at is not None
        closed = Proposal.objects.get(pk=proposal.pk).closed_at
        assert closed is not None
        assert 3590 < (run.wake_at - closed).total_seconds() < 3610
        assert desk.ledger.movements(order) == 0

    def test_waking_it_early_does_not_help(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), wait_seconds=3600))
        proposal = desk.approved_refund(order := desk.purchase())
        desk.work(proposal.run_id)
        desk.work_on_after_waiting(proposal.run_id)
        assert desk.run(proposal.run_id).status == "waiting_approval"
        assert desk.ledger.movements(order) == 0

    def test_a_worker_that_does_not_look_is_refused_at_the_door(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(execution, "_held_back", lambda pending: 0)
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), wait_seconds=3600))
        proposal = desk.approved_refund(order := desk.purchase())
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0
        assert stands(proposal) == "approved"
        assert "effect_prepared" not in desk.database.kinds(proposal.run_id)

    def test_then_it_is_done(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), wait_seconds=1))
        proposal = desk.approved_refund(order := desk.purchase())
        desk.work(proposal.run_id)
        due = "SELECT wake_at <= clock_timestamp() FROM engine_run WHERE run_id = %s"
        until(lambda: desk.database.value(due, proposal.run_id), "the end of its wait", 10)
        desk.work(proposal.run_id)
        assert desk.ledger.refunded(order) == "25.00"


class TestAFreshRehearsal:
    @pytest.fixture
    def demanded(self, desk: Desk) -> None:
        assert desk.people.rosa
        desk.put_in_force(asking(("reviewer", 1), fresh_rehearsal=True))

    def rehearsed(self, desk: Desk, *, passed: bool = True) -> None:
        now = rehearsing.now()
        played = Played(
            action="ledger.refund",
            action_version=1,
            run_id=None,
            started_at=now,
            ended_at=now,
            recovery_seconds=1.0,
            timeline=[],
            assertions=[Assertion(what="The target is as it was before", holds=passed)],
        )
        api.keep_rehearsal(played, operator=reviewer(desk.people.otto))

    @pytest.mark.usefixtures("demanded")
    def test_is_missing(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        with pytest.raises(NotRehearsed):
            desk.approve(proposal)
        desk.decide(proposal, "reject")

    @pytest.mark.usefixtures("demanded")
    def test_is_there(self, desk: Desk) -> None:
        self.rehearsed(desk)
        desk.approve(proposal := desk.propose_refund())
        assert stands(proposal) == "approved"

    @pytest.mark.usefixtures("demanded")
    @pytest.mark.parametrize("name", ["agent:rehearsal", "agent:system-rehearsal"])
    def test_is_not_excused_by_a_name_that_an_agent_may_have(self, name: str, desk: Desk) -> None:
        with pytest.raises(NotRehearsed):
            desk.approve(self.asked_by(name, desk))

    @pytest.mark.usefixtures("demanded")
    def test_is_what_a_rehearsal_itself_does_not_need(self, desk: Desk) -> None:
        desk.approve(proposal := self.asked_by(rehearsing.INITIATOR, desk))
        assert stands(proposal) == "approved"

    def asked_by(self, name: str, desk: Desk) -> Proposal:
        run_id = api.start_run("agent", initiator=api.Initiator(actor=name))
        arguments = {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"}
        api.request_effect(
            run_id, agent=name, action="ledger.refund", arguments=arguments, why="It is broken."
        )
        desk.work(run_id)
        return desk.proposal(run_id)

    @pytest.mark.usefixtures("demanded")
    def test_has_failed_since(self, desk: Desk) -> None:
        self.rehearsed(desk)
        self.rehearsed(desk, passed=False)
        with pytest.raises(NotRehearsed):
            desk.approve(desk.propose_refund())

    @pytest.mark.usefixtures("demanded")
    def test_has_expired(self, desk: Desk) -> None:
        self.rehearsed(desk)
        desk.database.execute(
            "UPDATE engine_rehearsal SET ended_at = now() - interval '2 d',"
            " expires_at = now() - interval '1 d'"
        )
        with pytest.raises(NotRehearsed):
            desk.approve(desk.propose_refund())
