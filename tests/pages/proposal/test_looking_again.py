"""Premises read again, as the page shows it."""

from engine.models import Event
from tests.cast import People
from tests.pages.reading import Reader, Readers, address_of
from tests.world import Desk


def test_the_page_says_that_it_holds(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    assert rosa.post(f"{address_of(proposal)}look/").status == 302
    assert "Asked; a worker looks." in rosa.get(address_of(proposal)).text
    desk.work(proposal.run_id)
    assert "All of it holds." in rosa.get(address_of(proposal)).text


def test_the_page_says_what_has_changed_and_the_live_part_brings_it(
    desk: Desk, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    polled = rosa.get(address_of(proposal)).attribute("hx-get")
    desk.ledger.set_balance("1.00")
    rosa.post(f"{address_of(proposal)}look/")
    desk.work(proposal.run_id)
    answer = rosa.poll(polled)
    assert 'hx-swap-oob="innerHTML:#premises-now"' in answer.html
    assert "It has changed. Approved as it is, nothing would be done." in answer.text
    assert "changed: desk_covers_it yes truth no truth" in answer.text
    assert "<form" not in answer.html


def test_asked_twice_at_once_is_said_calmly(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    for _ in range(2):
        rosa.post(f"{address_of(proposal)}look/")
    assert "It was looked at a moment ago." in rosa.get(address_of(proposal)).text


def test_what_is_decided_offers_no_look(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund()
    assert "look/" not in rosa.get(address_of(proposal)).html
    rosa.post(f"{address_of(proposal)}look/")
    assert "It is no longer open" in rosa.get(address_of(proposal)).text


def test_who_does_not_decide_it_is_told_why_and_has_nothing_read(
    desk: Desk, people: People, reading: Readers
) -> None:
    address, why = address_of(desk.propose_refund()), "Who started it never decides it."
    tomas = reading(people.tomas)
    page = tomas.get(address)
    assert "look/" not in page.html
    tomas.post(f"{address}look/")
    assert tomas.get(address).text.count(why) == page.text.count(why) + 1
    assert not Event.objects.filter(kind="premises_asked").exists()
