"""The places of the inbox: what is claimed, and what is for others to decide, with the why."""

import pytest

from engine import api
from engine.models import Proposal
from oversight.models import Person
from tests.cast import People, reviewer
from tests.pages.inbox.test_to_decide import listed
from tests.pages.reading import Reader, Readers, address_of
from tests.world import Desk


@pytest.fixture
def mina(people: People) -> Person:
    return people.somebody("mina", "reviewer", full_name="Mina Roth")


def claim(proposal: Proposal, person: Person, **more: int) -> None:
    api.claim(proposal.run_id, proposal.pk, reviewer=reviewer(person), **more)


def test_what_is_claimed_stays_to_be_decided_and_has_a_place_of_its_own(
    desk: Desk, rosa: Reader, mina: Person, people: People
) -> None:
    theirs, own, free = (desk.propose_refund() for _ in range(3))
    claim(theirs, mina)
    claim(own, people.rosa)

    page = rosa.get("/inbox/")
    assert set(listed(page)) == {address_of(each) for each in (theirs, own, free)}
    assert "Mina Roth, runs out" in page.text
    assert "You, runs out" in page.text
    claimed = rosa.get("/inbox/?show=claimed")
    assert set(listed(claimed)) == {address_of(theirs), address_of(own)}
    assert listed(rosa.get("/inbox/?show=claimed&claimed=others")) == [address_of(theirs)]


def test_a_claim_that_ran_out_is_gone(desk: Desk, rosa: Reader, mina: Person) -> None:
    claim(desk.propose_refund(), mina)
    desk.database.execute("UPDATE engine_claim SET until = now()")

    assert "Mina Roth" not in rosa.get("/inbox/").text
    assert "Nobody has claimed anything" in rosa.get("/inbox/?show=claimed").text


def test_whose_claim_was_taken_over_is_told_in_their_inbox(
    desk: Desk, rosa: Reader, mina: Person, people: People
) -> None:
    proposal = desk.propose_refund()
    claim(proposal, people.rosa)
    assert "took your claim over" not in rosa.get("/inbox/").text

    claim(proposal, mina, take_over_from=people.rosa.pk)

    assert "Mina Roth took your claim over" in rosa.get("/inbox/").text
    assert "took your claim over" not in Reader(mina).get("/inbox/").text
    desk.decide(proposal, "reject", by=mina)
    assert "took your claim over" not in rosa.get("/inbox/").text


def test_what_is_not_theirs_says_why(
    desk: Desk, people: People, reading: Readers, mina: Person
) -> None:
    desk.propose_refund()
    whys = {
        people.tomas: "You started it, or your agent did.",
        people.otto: "It waits for reviewer; you are in none of them.",
    }
    for person, why in whys.items():
        page = reading(person).get("/inbox/?show=mine")
        assert why in page.text
        assert 'data-key="c"' not in page.html, "nothing to claim"
    assert "Nothing is open but what you may decide" in reading(mina).get("/inbox/?show=mine").text


class TestOfSeveral:
    @pytest.fixture
    def proposal(self, desk: Desk, rosa: Reader, mina: Person) -> Proposal:
        groups = [{"name": "reviewer", "approve": 2}]
        desk.people.tomas  # noqa: B018 - he is made when first spoken of
        desk.put_in_force({"action": "ledger.refund", "groups": groups})
        return desk.propose_refund()

    def test_who_decides_blind_is_not_told_how_many_have_approved(
        self, desk: Desk, proposal: Proposal, rosa: Reader, mina: Person
    ) -> None:
        desk.approve(proposal, by=mina)

        text = rosa.get("/inbox/").text
        assert "2 have to approve" in text
        assert "of 2" not in text

    def test_who_has_spoken_sees_what_is_missing(
        self, desk: Desk, proposal: Proposal, rosa: Reader
    ) -> None:
        desk.approve(proposal)

        text = rosa.get("/inbox/?show=mine").text
        assert "Your word is in; others have to be heard." in text
        assert "1 of 2 have approved" in text
