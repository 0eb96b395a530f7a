"""What was decided before, beside what is to be decided now."""

from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.pages.reading import Reader, address_of
from tests.world import Desk


def part(reader: Reader, address: str) -> str:
    page = reader.get(address)
    return page.text.partition("Decided before")[2].partition("Versions and decisions")[0]


def test_decisions_on_the_action_are_told_with_what_became_of_them(
    desk: Desk, rosa: Reader
) -> None:
    desk.decide(desk.propose_refund(), "reject", reason="Paid twice.")
    done = desk.approved_refund()
    desk.work(done.run_id)
    told = part(rosa, address_of(desk.propose_refund()))
    assert "Paid twice." in told
    assert "Rosa Lind Rejected" in told
    assert told.index("Committed") < told.index("Paid twice.")


def test_those_on_the_same_target_come_first(desk: Desk, rosa: Reader) -> None:
    order = desk.purchase()
    desk.decide(desk.propose_refund(order, "10.00"), "reject", reason="The same order.")
    for _ in range(8):
        desk.decide(desk.propose_refund(), "reject", reason="Another one.")
    told = part(rosa, address_of(desk.propose_refund(order)))
    assert told.index("The same order.") < told.index("Another one.")
    assert told.count("Another one.") == 5


def test_what_is_open_is_not_told(desk: Desk, rosa: Reader) -> None:
    desk.propose_refund(why="Open.")
    told = part(rosa, address_of(desk.propose_refund()))
    assert "Nobody has decided on this action of late." in told


def test_a_page_asks_as_often_however_much_was_decided(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    few = queries(lambda: rosa.get(address_of(proposal)))
    for _ in range(4):
        desk.decide(desk.propose_refund(), "reject")
    assert queries(lambda: rosa.get(address_of(proposal))) == few


def queries(ask: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as caught:
        ask()
    return len(caught)
