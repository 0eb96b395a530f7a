"""The ground itself: a copy for each test, nothing left of another, real rows at both ends."""

from engine.models import Event, Run
from tests.world import Database, Desk


def test_a_refund_goes_all_the_way(desk: Desk) -> None:
    order = desk.purchase()
    proposal = desk.approved_refund(order)

    desk.work(proposal.run_id)

    assert desk.ledger.refunded(order) == "25.00"
    assert desk.ledger.movements(order) == 1
    assert desk.run(proposal.run_id).status == "waiting_external"
    assert "effect_committed" in desk.database.kinds(proposal.run_id)


def test_nothing_is_left_of_another_test(database: Database) -> None:
    assert Run.objects.count() == Event.objects.count() == 0


def test_hints_are_caught_and_sent_nowhere(desk: Desk) -> None:
    run_id = desk.start_run()

    assert desk.database.hints == [run_id]
