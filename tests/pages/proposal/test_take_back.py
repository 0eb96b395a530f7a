"""Second thoughts: one's own approval is taken back as long as nothing was sent under it."""

from engine.models import Proposal
from tests.cast import People
from tests.pages.reading import Reader, Readers, address_of
from tests.world import Desk, Ledger


def take_back(reader: Reader, proposal: Proposal, **said: str) -> int:
    fields = {"reason": "I misread the order."} | said
    return reader.post(f"{address_of(proposal)}take-back/", **fields).status


def status(proposal: Proposal) -> str:
    proposal.refresh_from_db()
    return str(proposal.status)


def test_it_is_offered_to_who_approved_until_it_is_sent(
    desk: Desk, ledger: Ledger, rosa: Reader
) -> None:
    proposal = desk.approved_refund(order := desk.purchase())
    page = rosa.get(address_of(proposal))
    assert "Take my approval back" in page.text
    assert take_back(rosa, proposal) == 302
    assert status(proposal) == "lapsed"
    assert "It is asked anew." in rosa.get(address_of(proposal)).text

    desk.work(proposal.run_id)
    assert ledger.movements(order) == 0
    newest = desk.proposal(proposal.run_id)
    assert (newest.version, newest.status) == (2, "open")
    assert "I misread the order." in rosa.get(f"/runs/{proposal.run_id}/").text


def test_once_it_was_sent_it_is_offered_no_more_and_answers_409(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    assert "Take my approval back" not in rosa.get(address_of(proposal)).text
    assert take_back(rosa, proposal) == 409


def test_a_reason_is_asked_for_and_what_is_wrong_is_said(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund()
    assert take_back(rosa, proposal, reason=" ") == 422
    assert status(proposal) == "approved"


def test_nobody_else_can_and_it_is_not_offered_to_them(
    desk: Desk, people: People, reading: Readers
) -> None:
    proposal = desk.approved_refund()
    other = reading(people.somebody("ruben", "reviewer"))
    assert "Take my approval back" not in other.get(address_of(proposal)).text
    assert take_back(other, proposal) == 403
    assert take_back(reading(people.otto), proposal) == 403
    assert status(proposal) == "approved"


def test_a_rejection_is_not_taken_back(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    desk.decide(proposal, "reject")
    assert "Take my approval back" not in rosa.get(address_of(proposal)).text
    assert take_back(rosa, proposal) == 403
