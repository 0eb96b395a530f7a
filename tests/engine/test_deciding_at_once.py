"""However decisions, expiry and stops fall together, a proposal version has one outcome.

Every pair of them, and whatever else two can do at once, is in `test_interleavings`.
"""

import json
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest

from engine import api, sweeper
from engine.errors import AlreadyDecided, Conflict, Expired, PlacetError
from engine.models import Decision, Proposal
from engine.store import proposals
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.together import (
    alone,
    answer,
    in_line_for,
    just_before,
    together,
    wait_for_waiting,
)
from tests.faults.processes import wait_until
from tests.world import Desk

Act = Callable[[], object]
OUTCOMES = {"approve": "approved", "reject": "rejected", "return": "returned", "expire": "expired"}
CLOSINGS = {f"proposal_{status}" for status in OUTCOMES.values()}


def act(desk: Desk, proposal: Proposal, name: str, person: int) -> Act:
    """One party's act, as a reviewer of its own where it is a decision."""
    if name == "expire":
        return partial(proposals.expire_proposal_if_overdue, proposal.run_id, proposal.pk)
    by = desk.people.somebody(f"reviewer{person}", "reviewer")
    return partial(desk.decide, proposal, name, by=by)


@pytest.mark.parametrize("decision", ["approve", "reject", "return"])
def test_c26_the_clock_is_read_after_waiting_not_before(decision: str, desk: Desk) -> None:
    """The decision came in time, and then waited for the run until its time was over."""
    proposal = desk.propose_refund()

    def time_runs_out(_: object) -> None:
        desk.database.execute(
            "UPDATE engine_proposal SET valid_until = clock_timestamp() WHERE id = %s", proposal.pk
        )

    (said,) = in_line_for(
        desk.database, proposal.run_id, [act(desk, proposal, decision, 0)], time_runs_out
    )

    assert isinstance(said, Expired)
    assert_one_outcome(desk, proposal, "open", decisions=0)


def test_c22_twenty_reviewers_approve_at_once_and_one_counts(desk: Desk) -> None:
    proposal = desk.propose_refund()
    acts = [act(desk, proposal, "approve", number) for number in range(20)]

    said = together(acts)

    assert said.count(None) == 1
    assert [type(one) for one in said if one is not None] == [AlreadyDecided] * 19
    assert_one_outcome(desk, proposal, "approved")


def test_c22_one_reviewer_clicks_a_hundred_times_and_one_counts(desk: Desk) -> None:
    proposal = desk.propose_refund()
    click = partial(desk.approve, proposal, by=desk.people.rosa)

    said = together([lambda: [attempted(click) for _ in range(5)]] * 20)

    assert sum(one.count(None) for one in said) == 1
    assert_one_outcome(desk, proposal, "approved")


def test_c22_approvals_and_rejections_at_once_have_one_outcome(desk: Desk) -> None:
    proposal = desk.propose_refund()
    names = ["approve", "reject", "return", "expire"] * 3
    acts = [act(desk, proposal, name, number) for number, name in enumerate(names)]

    said = together(acts)

    (winner,) = [name for name, one in zip(names, said, strict=True) if one is None]
    assert_one_outcome(desk, proposal, OUTCOMES[winner])


def attempted(click: Act) -> object:
    try:
        return click()
    except PlacetError as problem:
        return problem


class TestAStop:
    def test_placed_later_finds_the_approval_and_nothing_fires(self, desk: Desk) -> None:
        order = desk.purchase()
        proposal = desk.approved_refund(order)
        api.stop_everything(reviewer(desk.people.otto), "Something is odd.")

        desk.work(proposal.run_id)

        assert desk.ledger.movements(order) == 0
        assert desk.run(proposal.run_id).reason_code == "stop"

    @pytest.mark.parametrize("decision", ["reject", "return"])
    def test_does_not_keep_anybody_from_saying_no(self, decision: str, desk: Desk) -> None:
        proposal = desk.propose_refund()
        api.stop_everything(reviewer(desk.people.otto), "Something is odd.")

        desk.decide(proposal, decision)

        assert_one_outcome(desk, proposal, OUTCOMES[decision])

    def test_is_one_however_many_place_it(self, desk: Desk) -> None:
        otto = reviewer(desk.people.otto)

        said = together([partial(api.stop_everything, otto, "Something is odd.")] * 8)

        assert sum(isinstance(one, uuid.UUID) for one in said) == 1
        assert sum(isinstance(one, Conflict) for one in said) == 7


class TestADecisionWhileAWorkerHoldsTheLease:
    @pytest.mark.parametrize(
        ("decision", "becomes"),
        [("approve", "effect_committed"), ("reject", "run_moved"), ("return", "run_parked")],
    )
    def test_c29_just_before_the_worker_parks_is_acted_on_at_once(
        self, decision: str, becomes: str, desk: Desk
    ) -> None:
        """It opened the proposal and is about to wait; the decision is there already."""
        run_id, rosa = desk.start_run(), desk.people.rosa
        desk.ask_for_refund(run_id, desk.purchase())

        def decide() -> None:
            desk.decide(desk.proposal(run_id), decision, by=rosa)

        with just_before("run_parked", decide):
            desk.work(run_id)

        kinds = desk.database.kinds(run_id)
        assert kinds.count("run_claimed") == 1
        assert becomes in kinds[kinds.index("decision_made") :]
        assert "waiting_approval" not in waits(desk, run_id)

    def test_c29_right_behind_the_parking_wakes_the_run_again(self, desk: Desk) -> None:
        run_id, order, rosa = desk.start_run(), desk.purchase(), desk.people.rosa
        desk.ask_for_refund(run_id, order)

        def work_up_to_parking() -> None:
            with just_before("run_parked", in_front_of_the_row.wait):
                desk.work(run_id)

        in_front_of_the_row = Event()
        with ThreadPoolExecutor(2) as threads:
            worker = threads.submit(alone, work_up_to_parking)
            wait_until("the proposal is open", lambda: Proposal.objects.exists())
            proposal = desk.proposal(run_id)
            with desk.database.connected() as holder, holder.transaction():
                holder.execute("SELECT 1 FROM engine_run WHERE run_id = %s FOR UPDATE", [run_id])
                in_front_of_the_row.set()
                wait_for_waiting(desk.database, 1)
                decider = threads.submit(alone, partial(desk.approve, proposal, by=rosa))
                wait_for_waiting(desk.database, 2)
            assert answer(worker) is answer(decider) is None

        assert desk.database.kinds(run_id)[-3:] == [
            "run_parked",
            "decision_made",
            "proposal_approved",
        ]
        assert sweeper.run_once().runs == (run_id,)
        desk.work(run_id)
        assert desk.ledger.movements(order) == 1


def waits(desk: Desk, run_id: uuid.UUID) -> set[str]:
    """The statuses in which the run has waited so far."""
    parked = [event for event in desk.database.log(run_id) if event["kind"] == "run_parked"]
    return {json.loads(event["payload"])["status"] for event in parked}


def assert_one_outcome(desk: Desk, proposal: Proposal, status: str, decisions: int = 1) -> None:
    """The version is in this state, by so many decisions that counted, and the log is whole."""
    if status == "expired":
        decisions = 0
    proposal.refresh_from_db()
    closings = [kind for kind in desk.database.kinds(proposal.run_id) if kind in CLOSINGS]
    assert proposal.status == status
    assert Decision.objects.filter(proposal=proposal).count() == decisions
    assert closings == ([] if status == "open" else [f"proposal_{status}"])
    assert faults_in(desk.database, proposal.run_id) == []
