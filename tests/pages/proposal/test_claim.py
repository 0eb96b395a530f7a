"""The claim on the page of a proposal: made, seen by others, taken over with notice, let go."""

import pytest

from engine.models import Claim, Proposal
from oversight.models import Person
from tests.cast import People
from tests.pages.reading import Page, Reader, Readers, address_of
from tests.world import Desk


@pytest.fixture
def mina(people: People) -> Person:
    return people.somebody("mina", "reviewer", full_name="Mina Roth")


def say(reader: Reader, proposal: Proposal, **said: object) -> Page:
    return reader.post(f"{address_of(proposal)}claim/", **said)


def test_who_claims_it_is_shown_to_everybody(
    desk: Desk, rosa: Reader, people: People, mina: Person, reading: Readers
) -> None:
    proposal = desk.propose_refund()
    assert "Nobody has claimed this" in rosa.get(address_of(proposal)).text

    assert say(rosa, proposal, do="claim").status == 302

    assert "You have claimed this. It runs out in 14 min" in rosa.get(address_of(proposal)).text
    for person in (mina, people.ada, people.tomas):
        assert "Rosa Lind is looking at this" in reading(person).get(address_of(proposal)).text


def test_the_other_may_decide_all_the_same(desk: Desk, rosa: Reader, mina: Person) -> None:
    proposal = desk.propose_refund()
    say(rosa, proposal, do="claim")

    assert Reader(mina).decide(proposal, "approve").status == 302
    assert desk.proposal(proposal.run_id).status == "approved"
    assert "has claimed" not in rosa.get(address_of(proposal)).text


def test_it_is_taken_over_and_the_first_is_told(desk: Desk, rosa: Reader, mina: Person) -> None:
    proposal = desk.propose_refund()
    say(rosa, proposal, do="claim")
    other = Reader(mina)
    page = other.get(address_of(proposal))
    assert "Take the claim over" in page.text
    before = rosa.get(address_of(proposal)).attribute("hx-get")

    assert say(other, proposal, do="take_over", **{"from": desk.people.rosa.pk}).status == 302

    assert "Mina Roth took your claim over" in rosa.get(address_of(proposal)).text
    told = rosa.poll(before)
    assert told.html.count("Mina Roth took your claim over") == 2
    assert "<button" not in told.html, "no button moves under the cursor"


def test_a_claim_that_is_not_theirs_any_more_is_not_taken_over(
    desk: Desk, rosa: Reader, mina: Person, people: People
) -> None:
    proposal = desk.propose_refund()
    say(rosa, proposal, do="claim")
    say(Reader(mina), proposal, do="take_over", **{"from": people.rosa.pk})

    third = Reader(people.somebody("nils", "reviewer"))
    answer = say(third, proposal, do="take_over", **{"from": people.rosa.pk})

    assert answer.status == 409
    assert "Mina Roth has claimed this meanwhile" in answer.text


def test_let_go_it_is_nobody_s(desk: Desk, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    say(rosa, proposal, do="claim")

    assert say(rosa, proposal, do="release").status == 302
    assert "Nobody has claimed this" in rosa.get(address_of(proposal)).text


def test_who_may_not_decide_it_is_offered_no_claim_and_gets_none(
    desk: Desk, people: People, reading: Readers
) -> None:
    proposal = desk.propose_refund()
    for person in (people.tomas, people.otto):
        reader = reading(person)
        assert 'data-key="c"' not in reader.get(address_of(proposal)).html
        assert say(reader, proposal, do="claim").status == 403

    assert not Claim.objects.exists()


@pytest.mark.parametrize("said", [{}, {"do": "approve"}, {"do": ["claim", "release"]}])
def test_anything_else_is_refused(desk: Desk, rosa: Reader, said: dict[str, object]) -> None:
    assert say(rosa, desk.propose_refund(), **said).status == 400
    assert not Claim.objects.exists()


def test_it_goes_back_to_the_inbox_from_where_it_came(desk: Desk, rosa: Reader) -> None:
    answer = say(rosa, desk.propose_refund(), do="claim", back="inbox")

    assert answer.response.headers["Location"] == "/inbox/"


def test_what_is_decided_has_no_claim(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund()

    assert 'aria-label="Claim"' not in rosa.get(address_of(proposal)).html
    answer = say(rosa, proposal, do="claim")
    assert answer.status == 409
