"""What was proposed or approved does not outlast a stop: the sweep lapses it, and when the stop is
lifted it is asked anew."""

import uuid

import pytest

from engine import api, sweeper
from engine.errors import Conflict
from engine.models import Effect, Proposal
from engine.store import stops
from tests.cast import AGENT, reviewer
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.test_stop_scopes import OTHERS, SCOPES, go_on, stop
from tests.engine.together import just_before
from tests.world import Desk


@pytest.mark.parametrize("scope", SCOPES)
def test_undecided_and_approved_lapse_and_are_asked_anew_when_it_goes_on(
    desk: Desk, scope: str
) -> None:
    undecided, order = desk.propose_refund(), desk.purchase()
    approved = desk.approved_refund(order)
    for each in {SCOPES[scope](proposal.run_id) for proposal in (undecided, approved)}:
        stop(desk, each)

    swept = sweeper.run_once()

    assert swept.lapsed == 2
    for proposal in (undecided, approved):
        assert statuses(proposal) == ["lapsed"]
        assert proposal.run_id in swept.runs
        desk.work(proposal.run_id)
        assert standing(desk, proposal.run_id) == ("paused", "stop")
    assert (sweeper.run_once().lapsed, sweeper.run_once().runs) == (0, ())

    for each in {SCOPES[scope](proposal.run_id) for proposal in (undecided, approved)}:
        go_on(desk, each)
    assert set(sweeper.run_once().runs) == {undecided.run_id, approved.run_id}
    for proposal in (undecided, approved):
        desk.work(proposal.run_id)
        assert statuses(proposal) == ["lapsed", "open"]
    assert desk.ledger.movements(order) == 0
    desk.approve(desk.proposal(approved.run_id))
    desk.work(approved.run_id)
    assert desk.ledger.movements(order) == 1
    for proposal in (undecided, approved):
        assert_tables_match_the_log(desk.database, proposal.run_id)


@pytest.mark.parametrize("scope", OTHERS)
def test_beside_its_scope_nothing_lapses(desk: Desk, scope: str) -> None:
    proposal = desk.propose_refund()
    stop(desk, scope)
    assert sweeper.run_once().lapsed == 0
    assert statuses(proposal) == ["open"]


def test_without_a_stop_nothing_lapses(desk: Desk) -> None:
    proposal = desk.propose_refund()
    stop(desk, "everything")
    go_on(desk, "everything")
    assert sweeper.run_once().lapsed == 0
    assert stops.lapse_proposal_if_stopped(proposal.run_id, proposal.pk) is False
    assert statuses(proposal) == ["open"]


def test_what_is_in_flight_is_not_touched(desk: Desk) -> None:
    proposal = desk.approved_refund(order := desk.purchase())
    lapsed: list[object] = []

    def stop_and_sweep() -> None:
        stop(desk, "everything")
        lapsed.append(sweeper.run_once().lapsed)
        lapsed.append(stops.lapse_proposal_if_stopped(proposal.run_id, proposal.pk))

    with just_before("record_effect", stop_and_sweep):
        desk.work(proposal.run_id)

    assert lapsed == [0, False]
    assert statuses(proposal) == ["approved"]
    assert Effect.objects.get().committed_at is not None
    assert sweeper.run_once().lapsed == 0
    assert desk.ledger.movements(order) == 1


def test_a_worker_right_before_the_gate_is_told_and_sends_nothing(desk: Desk) -> None:
    proposal = desk.approved_refund(order := desk.purchase())

    def stop_and_sweep() -> None:
        stop(desk, "everything")
        assert sweeper.run_once().lapsed == 1

    with just_before("intend_effect", stop_and_sweep):
        desk.work(proposal.run_id)

    assert desk.ledger.movements(order) == 0
    assert Effect.objects.get().outcome == "not_sent"
    assert standing(desk, proposal.run_id) == ("paused", "stop")
    assert statuses(proposal) == ["lapsed"]
    assert_tables_match_the_log(desk.database, proposal.run_id)


def test_nobody_decides_what_has_lapsed(desk: Desk) -> None:
    proposal = desk.propose_refund()
    stop(desk, "everything")
    sweeper.run_once()
    for decision in ("approve", "reject", "return"):
        with pytest.raises(Conflict, match="lapsed"):
            desk.decide(proposal, decision)
    with pytest.raises(Conflict, match="lapsed"):
        api.withdraw_proposal(proposal.run_id, proposal.proposal_id, agent=AGENT)


def test_many_lapse_in_batches(desk: Desk, settings: object) -> None:
    settings.PLACET_SWEEP_BATCH = 2  # type: ignore[attr-defined]
    for _ in range(5):
        desk.propose_refund()
    stop(desk, "everything")
    assert [sweeper.run_once().lapsed for _ in range(4)] == [2, 2, 1, 0]


@pytest.mark.parametrize("scope", SCOPES)
def test_nobody_is_asked_while_it_holds(desk: Desk, scope: str) -> None:
    """The first request of a run, which nobody has seen yet."""
    run_id = desk.start_run()
    desk.ask_for_refund(run_id, desk.purchase())
    stop(desk, SCOPES[scope](run_id))

    desk.work(run_id)

    assert not Proposal.objects.exists()
    assert standing(desk, run_id) == ("paused", "stop")
    assert sweeper.run_once().runs == ()
    go_on(desk, SCOPES[scope](run_id))
    assert sweeper.run_once().runs == (run_id,)
    desk.work(run_id)
    assert desk.proposal(run_id).status == "open"


def test_a_run_that_stands_still_for_an_operator_is_not_woken(desk: Desk) -> None:
    proposal, otto = desk.propose_refund(), reviewer(desk.people.otto)
    api.pause_run(proposal.run_id, operator=otto, reason="A moment.")
    desk.work(proposal.run_id)
    stop(desk, "everything")

    swept = sweeper.run_once()

    assert (swept.lapsed, swept.runs) == (1, ())
    assert standing(desk, proposal.run_id) == ("paused", "operator")
    go_on(desk, "everything")
    api.resume_run(proposal.run_id, reviewer=otto, reason="Go on.")
    desk.work(proposal.run_id)
    assert statuses(proposal) == ["lapsed", "open"]


def test_a_run_that_is_cancelled_under_it_ends(desk: Desk) -> None:
    proposal = desk.propose_refund()
    stop(desk, "everything")
    sweeper.run_once()
    desk.work(proposal.run_id)
    api.cancel_run(proposal.run_id, operator=reviewer(desk.people.otto), reason="Enough.")
    desk.work(proposal.run_id)
    assert desk.run(proposal.run_id).status == "cancelled"
    assert statuses(proposal) == ["lapsed"]


def statuses(proposal: Proposal) -> list[str]:
    """Of all versions of the proposal, in their order."""
    versions = Proposal.objects.filter(proposal_id=proposal.proposal_id).order_by("version")
    return [version.status for version in versions]


def standing(desk: Desk, run_id: uuid.UUID) -> tuple[str, str | None]:
    run = desk.run(run_id)
    return run.status, run.reason_code
