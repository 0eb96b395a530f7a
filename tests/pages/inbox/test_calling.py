"""Who is called where nobody decides, as pages tell it: to whom it goes, when, and that it has."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engine import sweeper
from engine.models import Proposal
from oversight.models import Person
from tests.engine.test_escalating import slow
from tests.pages.inbox.test_to_decide import listed
from tests.pages.reading import Reader, Readers, address_of, contents
from tests.world import Desk


@pytest.fixture
def lena(desk: Desk) -> Person:
    return desk.people.somebody("lena", "lead")


@pytest.fixture
def asked(desk: Desk, lena: Person) -> Proposal:
    assert desk.people.rosa
    desk.put_in_force(slow())
    return desk.propose_refund()


def days_pass(desk: Desk, proposal: Proposal, days: float) -> None:
    desk.database.days_pass_for(proposal.pk, days)
    sweeper.run_once()


def test_the_inbox_says_when_it_goes_to_whom_and_that_it_has(
    desk: Desk, asked: Proposal, rosa: Reader, reading: Readers, lena: Person
) -> None:
    before = rosa.get("/inbox/").text
    assert "in 6 days" in before
    assert "to lead, too, in 47 h 59 min" in before
    assert "a reminder in 23 h 59 min" in before
    assert listed(reading(lena).get("/inbox/")) == []

    days_pass(desk, asked, 1)
    reminded = rosa.get("/inbox/").text
    assert "ledger.refund v1 · Reminded" in reminded
    assert "reminded just now" in reminded
    assert "a reminder in" not in reminded

    days_pass(desk, asked, 1)
    for reader in (rosa, reading(lena)):
        page = reader.get("/inbox/")
        assert listed(page) == [address_of(asked)]
        assert "ledger.refund v1 · Escalated" in page.text
        assert "escalated to lead just now" in page.text
    overview = rosa.get("/overview/").text
    assert "1 was escalated · reminded of 1" in overview


def test_the_inbox_narrows_to_it(desk: Desk, asked: Proposal, rosa: Reader) -> None:
    days_pass(desk, asked, 1)
    other = desk.propose_refund()
    assert listed(rosa.get("/inbox/", called="reminded")) == [address_of(asked)]
    assert listed(rosa.get("/inbox/", called="escalated")) == []
    days_pass(desk, other, 2)
    assert listed(rosa.get("/inbox/", called="escalated")) == [address_of(other)]
    assert "Reminded or escalated" in rosa.get("/inbox/", called="escalated").text


def test_the_proposal_says_it_too(
    desk: Desk, asked: Proposal, rosa: Reader, reading: Readers, lena: Person
) -> None:
    page = rosa.get(address_of(asked))
    assert "If nobody decides, it goes to lead, too:" in page.text
    assert "It expires, and is not run:" in page.text
    assert "escalates to lead after 2 days" in page.text, "it is part of the rule that was shown"
    assert not reading(lena).get(address_of(asked)).form

    days_pass(desk, asked, 2)
    page = rosa.get(address_of(asked))
    assert "Escalated to lead" in page.text
    assert "Nobody had decided it in time." in page.text
    assert "Reminded of it" in page.text
    assert reading(lena).get(address_of(asked)).form
    assert reading(lena).decide(asked, "approve").status == 302
    closed = rosa.get(address_of(asked)).text
    assert "Escalated to lead" in closed
    assert "It expires" not in closed


def test_it_says_that_too_few_were_there(desk: Desk, lena: Person, reading: Readers) -> None:
    assert desk.people.rosa
    assert [desk.people.somebody(name, "lead") for name in ("leo", "lola")]
    desk.put_in_force(slow(("treasurer", 2), ("reviewer", 1)))
    proposal = desk.propose_refund()
    sweeper.run_once()
    page = reading(lena).get(address_of(proposal))
    assert "Too few people were there who could decide it." in page.text
    assert "It was escalated: members of lead count for each of them." in page.text
    run = reading(lena).get(f"/runs/{proposal.run_id}/?view=timeline")
    assert "Escalated: members of lead count, too" in run.text


def test_a_group_s_name_is_text(desk: Desk, rosa: Reader) -> None:
    odd = "<b>lead\u202e</b>"
    assert desk.people.somebody("lena", odd)
    desk.put_in_force(slow(escalate={"after_seconds": 3600, "to": odd}))
    proposal = desk.propose_refund()
    for days in (0, 2):
        days_pass(desk, proposal, days)
        for address in ("/inbox/", address_of(proposal), "/policy/"):
            html = rosa.get(address).html
            assert "U+202E" in html, "it is there, written out"
            assert "<b>lead" not in html
            assert "\u202e" not in html


def test_it_is_asked_as_often_however_many_were_escalated(
    desk: Desk, asked: Proposal, rosa: Reader
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked_for:
            assert rosa.get("/inbox/").status == 200
        return len(asked_for)

    days_pass(desk, asked, 2)
    one = queries()
    for _ in range(3):
        days_pass(desk, desk.propose_refund(), 2)
    before = contents(desk.database)
    assert queries() == one
    assert contents(desk.database) == before


def test_who_is_in_no_role_goes_where_reviewers_go_while_a_rule_names_their_group(
    desk: Desk, lena: Person, reading: Readers
) -> None:
    lead, pages = reading(lena), ("/inbox/", "/overview/", "/policy/")
    assert {lead.get(page).status for page in pages} == {403}
    assert desk.people.rosa
    desk.put_in_force(slow())
    assert {lead.get(page).status for page in pages} == {200}
    assert lead.get("/policy/propose/").status == 403
    desk.put_in_force(slow(("lead", 1), escalate=None))
    assert lead.get("/inbox/").status == 200
    desk.put_in_force()
    assert {lead.get(page).status for page in pages} == {403}
