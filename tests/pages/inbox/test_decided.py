"""What was decided, and what became of it in the world."""

import re

import pytest
from django.utils import timezone

from engine import sweeper
from oversight.demo.placet_actions import Refund
from oversight.reading import keyset
from tests.cast import People
from tests.engine.newer import newer_action, newer_code
from tests.pages.reading import Page, Reader, Readers, address_of
from tests.world import Database, Desk, Ledger


def the_row(page: Page) -> str:
    """The only row of the list, as text."""
    rows = re.findall(r"<tr role=\"row\" data-row>.*?</tr>", page.html, re.DOTALL)
    assert len(rows) == 1
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", rows[0]))


def decided(reader: Reader) -> Page:
    return reader.get("/inbox/?show=decided")


def test_an_approved_effect_that_was_verified_is_committed(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    row = the_row(decided(rosa))
    assert "Approved" in row
    assert "Rosa Lind" in row
    assert "It is as the agent says." in row
    assert "Committed" in row


def test_an_approved_effect_that_nobody_took_up_yet_is_about_to_begin(
    desk: Desk, rosa: Reader
) -> None:
    desk.approved_refund()
    assert "about to begin" in the_row(decided(rosa))


def test_an_effect_that_was_taken_back_says_so(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund(desk.purchase(handling_fee="1.50"))
    desk.work(proposal.run_id)
    row = the_row(decided(rosa))
    assert "Approved" in row
    assert "Compensated" in row
    assert "Committed" not in row


@pytest.mark.parametrize(("was_approved", "word"), [(True, "Lapsed"), (False, "Superseded")])
def test_whoever_decided_what_other_code_made_void_is_told_and_asked_anew(
    was_approved: bool, word: str, desk: Desk, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    if was_approved:
        desk.approve(proposal)
    desk.database.execute("UPDATE engine_run SET wake_at = now()")
    with newer_code():
        newer_action(Refund)
        desk.work(proposal.run_id)
        row = the_row(decided(rosa))
        assert word in row
        assert ("Rosa Lind" in row) is was_approved
        assert "asked anew : action:ledger.refund 1 → 2" in row
        assert "nothing happened" in row

        again = rosa.get("/inbox/")
        assert str(proposal.proposal_id) in again.html
        page = rosa.get(address_of(desk.proposal(proposal.run_id)))
    assert '<dt>Asked anew since</dt><dd><bdi class="said" dir="auto">action:' in page.html
    assert "action:ledger.refund 1 → 2" in page.text
    assert "does not count for this one" in page.text
    assert "You have decided this" not in page.text
    run = rosa.get(f"/runs/{proposal.run_id}/").text
    assert "Carried over to other versions" in run
    assert "action:ledger.refund 1 → 2" in run


def test_an_approval_that_lapsed_did_nothing(desk: Desk, ledger: Ledger, rosa: Reader) -> None:
    order = desk.purchase()
    proposal = desk.approved_refund(order)
    ledger.execute("UPDATE purchase SET paid = 90 WHERE order_no = %s", order)
    desk.work(proposal.run_id)
    row = the_row(decided(rosa))
    assert "Lapsed" in row
    assert "nothing happened" in row


@pytest.mark.parametrize(("decision", "word"), [("reject", "Rejected"), ("return", "Returned")])
def test_what_was_not_approved_did_nothing(
    desk: Desk, rosa: Reader, decision: str, word: str
) -> None:
    desk.decide(desk.propose_refund(), decision)
    row = the_row(decided(rosa))
    assert word in row
    assert "nothing happened" in row


def test_what_nobody_decided_in_time_expired(desk: Desk, database: Database, rosa: Reader) -> None:
    database.deadline_passes_for(desk.propose_refund().pk)
    sweeper.run_once()
    row = the_row(decided(rosa))
    assert "Expired" in row
    assert "nobody" in row


def test_everybody_with_a_role_may_read_it(desk: Desk, people: People, reading: Readers) -> None:
    desk.approved_refund()
    for person in (people.tomas, people.otto, people.ada, people.ines, people.zoe):
        assert "Rosa Lind" in the_row(decided(reading(person)))


def test_nothing_decided_yet_is_said(rosa: Reader) -> None:
    assert "Nothing has been decided yet" in decided(rosa).text


def orders(page: Page) -> list[str]:
    return re.findall(r"for order (A-\d+)<", page.html)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyset, "SIZE", 2)


def test_no_row_is_skipped_or_repeated_while_rows_arrive(
    desk: Desk, rosa: Reader, small_pages: None
) -> None:
    for _ in range(5):
        desk.approved_refund()
    first = decided(rosa)
    desk.approved_refund()
    second = rosa.get(older(first))
    desk.approved_refund()
    third = rosa.get(older(second))
    assert [*orders(first), *orders(second), *orders(third)] == ["A-5", "A-4", "A-3", "A-2", "A-1"]
    assert 'rel="next"' not in third.html


def test_going_back_finds_the_same_rows_and_then_the_newest(
    desk: Desk, rosa: Reader, small_pages: None
) -> None:
    for _ in range(5):
        desk.approved_refund()
    second = rosa.get(older(decided(rosa)))
    third = rosa.get(older(second))
    assert orders(rosa.get(newer(third))) == orders(second) == ["A-3", "A-2"]
    desk.approved_refund()
    back = rosa.get(newer(second))
    assert orders(back) == ["A-5", "A-4"]
    assert orders(rosa.get(newer(back))) == ["A-6"]


def test_rows_of_the_same_instant_are_all_found(
    desk: Desk, database: Database, rosa: Reader, small_pages: None
) -> None:
    for _ in range(5):
        desk.approved_refund()
    database.execute("UPDATE engine_proposal SET closed_at = %s", timezone.now())
    page, found = decided(rosa), []
    for _ in range(3):
        found += orders(page)
        page = rosa.get(older(page)) if 'rel="next"' in page.html else page
    assert sorted(found) == ["A-1", "A-2", "A-3", "A-4", "A-5"]


@pytest.mark.parametrize(
    "place", ["", "x", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00~x", "~", "x'; DROP TABLE run"]
)
def test_what_is_no_place_in_the_list_is_refused(rosa: Reader, place: str) -> None:
    assert rosa.get("/inbox/", show="decided", older=place).status == 400


def older(page: Page) -> str:
    return _link(page, "next")


def newer(page: Page) -> str:
    return _link(page, "prev")


def _link(page: Page, rel: str) -> str:
    (address,) = re.findall(rf'rel="{rel}" href="([^"]+)"', page.html)
    return str(address).replace("&amp;", "&")
