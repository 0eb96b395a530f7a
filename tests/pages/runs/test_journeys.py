"""How far each effect has come, told by the log of a real run."""

import uuid

import pytest

from engine import sweeper
from oversight.demo.placet_actions import Refund
from oversight.reading import journeys, log
from oversight.reading.journeys import Journey
from oversight.showing.stations import STATIONS
from tests.world import Database, Desk, Ledger

ALL = set(STATIONS)


def told(run_id: uuid.UUID) -> tuple[Journey, ...]:
    return journeys.told_by(log.of_effects(run_id))


def test_a_request_that_no_worker_took_up_is_being_prepared(desk: Desk) -> None:
    run_id = desk.start_run()
    desk.ask_for_refund(run_id, desk.purchase())
    (journey,) = told(run_id)
    assert (journey.kind, journey.state, journey.reached) == ("proposal", "preparing", {})
    assert not journey.opened
    assert journey.stations[0].place == "here"


def test_an_open_proposal_waits_to_be_decided(desk: Desk) -> None:
    proposal = desk.propose_refund()
    (journey,) = told(proposal.run_id)
    assert journey.state == "open"
    assert journey.headline.startswith("Refund 25.00")
    assert journey.reached["proposed"] == proposal.opened_at
    assert [station.place for station in journey.stations][:2] == ["done", "here"]


def test_a_rejected_proposal_ended_where_it_was_decided(desk: Desk) -> None:
    proposal = desk.propose_refund()
    desk.decide(proposal, "reject")
    (journey,) = told(proposal.run_id)
    assert journey.settled
    assert journey.stations[1].place == "halted"
    assert str(journey.stations[1].note) == "Rejected"


def test_an_expired_one_too(desk: Desk, database: Database) -> None:
    proposal = desk.propose_refund()
    database.deadline_passes_for(proposal.pk)
    sweeper.run_once()
    assert told(proposal.run_id)[0].state == "expired"


def test_a_committed_effect_has_passed_every_station_in_order(desk: Desk) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    (journey,) = told(proposal.run_id)
    assert (journey.kind, journey.state) == ("effect", "committed")
    assert set(journey.reached) == ALL
    times = [journey.reached[name] for name in STATIONS]
    assert times == sorted(times)


def test_a_rolled_back_effect_halts_at_verified_and_its_rollback_arrives(desk: Desk) -> None:
    proposal = desk.approved_refund(desk.purchase(handling_fee="1.50"))
    desk.work(proposal.run_id)
    forward, back = told(proposal.run_id)
    assert forward.state == "compensated"
    assert set(forward.reached) == ALL - {"verified", "committed"}
    assert forward.mark == ("verification", "mismatch")
    assert back.compensates == forward.effect_id
    assert (back.state, set(back.reached)) == ("committed", ALL)


def test_a_lapsed_approval_and_the_version_that_took_its_place(desk: Desk, ledger: Ledger) -> None:
    order = desk.purchase()
    proposal = desk.approved_refund(order)
    ledger.execute("UPDATE purchase SET paid = 90 WHERE order_no = %s", order)
    desk.work(proposal.run_id)
    lapsed, again = told(proposal.run_id)
    assert (lapsed.kind, lapsed.state, lapsed.halted) == ("proposal", "lapsed", True)
    assert (again.version, again.state) == (2, "open")


def test_an_effect_that_the_target_refuses_ended_at_its_answer(desk: Desk, ledger: Ledger) -> None:
    proposal = desk.approved_refund(amount="90.00")
    desk.work(proposal.run_id)
    (journey,) = told(proposal.run_id)
    assert journey.state == "failed"
    assert set(journey.reached) == {"proposed", "decided", "prepared", "executed"}
    assert journey.halted


@pytest.fixture
def in_doubt(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> uuid.UUID:
    """A run whose effect was sent, and whose target did not answer in time."""
    monkeypatch.setattr(Refund, "call_seconds", 0.2)
    order = desk.purchase()
    run_id = desk.approved_refund(order).run_id
    with desk.ledger.busy_with(order):
        desk.work(run_id)
    return run_id


def test_an_effect_without_an_answer_is_unknown_and_not_ended(in_doubt: uuid.UUID) -> None:
    (journey,) = told(in_doubt)
    assert journey.state == "unknown"
    assert not journey.settled
    assert [str(station.note) for station in journey.stations if station.note] == ["Unknown"]
    assert journey.stations[4].place == "here"


def test_an_effect_that_is_sent_again_counts_its_attempts(desk: Desk, in_doubt: uuid.UUID) -> None:
    desk.database.call_is_over_for(in_doubt)
    desk.work_on_after_waiting(in_doubt)
    (journey,) = told(in_doubt)
    assert (journey.state, journey.attempt) == ("committed", 2)
    assert set(journey.reached) == ALL


def test_an_erased_payload_hides_what_it_told_and_breaks_nothing(
    desk: Desk, database: Database
) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    everything = log.of_effects(proposal.run_id)
    for gone in everything:
        left = [event for event in everything if event.seq != gone.seq]
        journeys.told_by(left)
