"""Several people decide one thing: each blind, until their own word is in."""

import json

import pytest

from engine.models import Event, Proposal
from oversight.models import Person
from tests.pages.reading import Reader, Readers, address_of
from tests.world import Desk

TWO = [{"name": "reviewer", "approve": 2}]


@pytest.fixture
def others(desk: Desk) -> list[Person]:
    """Two more reviewers, besides Rosa."""
    return desk.people.reviewers(2)


@pytest.fixture
def proposal(desk: Desk, others: list[Person]) -> Proposal:
    """Two of the reviewers have to approve it; one other has, and says why."""
    desk.put_in_force({"action": "ledger.*", "groups": TWO})
    proposal = desk.propose_refund()
    desk.decide(proposal, "approve", by=others[0], reason="The photograph shows it.")
    return proposal


def decision_of(proposal: Proposal) -> Event:
    return Event.objects.get(run_id=proposal.run_id, kind="decision_made")


def test_the_first_is_told_that_others_are_to_be_heard(
    desk: Desk, proposal: Proposal, others: list[Person], reading: Readers
) -> None:
    page = reading(others[0]).get(address_of(proposal))
    assert "Your word is in" in page.text
    assert "1 of 2" in page.text
    assert not page.form


def test_the_first_is_not_told_that_it_is_carried_out_now(
    desk: Desk, others: list[Person], reading: Readers
) -> None:
    desk.put_in_force({"action": "ledger.*", "groups": TWO})
    proposal, first = desk.propose_refund(), reading(others[0])
    first.decide(proposal, "approve")
    page = first.get(address_of(proposal))
    assert "Others have to be heard before anything comes of it." in page.text
    assert "It is carried out now" not in page.text


def test_the_next_sees_how_many_but_not_what(rosa: Reader, proposal: Proposal) -> None:
    page = rosa.get(address_of(proposal))
    assert "1 person has been heard" in page.text
    assert "Nobody has decided on it." not in page.text
    assert "The photograph shows it." not in page.text
    assert page.form


@pytest.mark.parametrize("view", ["timeline", "log"])
def test_nor_does_the_run_say_it(view: str, rosa: Reader, proposal: Proposal) -> None:
    page = rosa.get(f"/runs/{proposal.run_id}/?view={view}")
    assert "The photograph shows it." not in page.text
    assert "Decided to approve" not in page.text


def test_nor_does_the_log(rosa: Reader, proposal: Proposal) -> None:
    event = decision_of(proposal)
    page = rosa.get(f"/audit/{event.run_id}/{event.seq}/")
    assert page.status == 403
    assert "after your own word" in page.text


def test_after_their_own_word_they_see_all_of_it(rosa: Reader, proposal: Proposal) -> None:
    rosa.decide(proposal, "approve")
    proposal.refresh_from_db()
    assert proposal.status == "approved"
    for address in (address_of(proposal), f"/runs/{proposal.run_id}/"):
        assert "The photograph shows it." in rosa.get(address).text
    event = Event.objects.filter(run_id=proposal.run_id, kind="decision_made").first()
    assert event is not None
    assert rosa.get(f"/audit/{event.run_id}/{event.seq}/").status == 200


def test_who_does_not_decide_it_sees_all_of_it(
    desk: Desk, reading: Readers, proposal: Proposal
) -> None:
    ada = reading(desk.people.ada)
    assert "The photograph shows it." in ada.get(address_of(proposal)).text
    assert "The photograph shows it." in ada.get(f"/runs/{proposal.run_id}/").text


def test_a_rule_may_let_everybody_see(desk: Desk, others: list[Person], rosa: Reader) -> None:
    desk.put_in_force({"action": "ledger.*", "groups": TWO, "blind": False})
    proposal = desk.propose_refund()
    desk.decide(proposal, "approve", by=others[0], reason="The photograph shows it.")
    page = rosa.get(address_of(proposal))
    assert "The photograph shows it." in page.text
    assert "1 of 2" in page.text


def test_the_page_says_who_has_to_agree(desk: Desk, rosa: Reader) -> None:
    desk.people.somebody("tessa", "treasurer")
    groups = [{"name": "reviewer", "approve": 1}, {"name": "treasurer", "approve": 1}]
    desk.put_in_force({"action": "ledger.*", "groups": groups, "reject": 2})
    page = rosa.get(address_of(desk.propose_refund()))
    assert "1 of reviewer" in page.text
    assert "1 of treasurer" in page.text
    assert "2 rejections end it." in page.text


def test_the_rule_is_part_of_what_was_shown(proposal: Proposal) -> None:
    assert json.loads(bytes(proposal.terms))["rule"]["groups"] == TWO
