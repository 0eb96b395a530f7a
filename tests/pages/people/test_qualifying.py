"""Administrators grant qualifications and withdraw them; everybody reads who holds which."""

from typing import Any

import pytest

from engine.models import Qualification
from oversight.models import Person
from tests.cast import People
from tests.pages.reading import Page, Reader, Readers, address_of
from tests.world import Desk

GRANT = {"training": "refunds-2", "actions": "ledger.*", "until": "2099-01-31", "reason": "Passed."}


@pytest.fixture
def zoe(desk: Desk, people: People, reading: Readers) -> Reader:
    return reading(people.zoe)


def qualify(reader: Reader, person: Person, **changed: Any) -> Page:
    return reader.post(f"/people/{person.pk}/qualify/", **{**GRANT, **changed})


def test_one_that_is_granted_stands_on_both_pages(
    zoe: Reader, people: People, reading: Readers
) -> None:
    answer = qualify(zoe, people.rosa, most_a_day="40")
    assert answer.response.headers["Location"] == f"/people/{people.rosa.pk}/"
    page = reading(people.ada).get(f"/people/{people.rosa.pk}/").text
    assert "refunds-2 for ledger.* valid Until 1 Feb 2099" in page
    assert "Granted by Zoe Hall · at most 40 in 24 hours" in page
    assert "refunds-2" in reading(people.ada).get("/people/").text


def test_one_that_is_withdrawn_stays_to_be_seen_and_counts_no_more(
    zoe: Reader, people: People
) -> None:
    qualify(zoe, people.rosa)
    found = str(Qualification.objects.get().pk)
    address = f"/people/{people.rosa.pk}/"
    fields = {"qualification": found, "reason": "It was another Rosa."}
    assert zoe.post(f"{address}withdraw/", **fields).status == 302
    page = zoe.get(address).text
    assert "withdrawn Withdrawn by Zoe Hall" in page
    assert "Withdraw a qualification" not in page
    assert "refunds-2" not in zoe.get("/people/").text
    assert zoe.post(f"{address}withdraw/", **fields).status == 409


@pytest.mark.parametrize(
    "changed",
    [
        {"training": "Refunds 2"},
        {"actions": "ledger*"},
        {"until": "2020-01-01"},
        {"until": "soon"},
        {"most_a_day": "0"},
        {"reason": ""},
    ],
)
def test_what_is_wrong_is_told_at_its_field(
    changed: dict[str, str], zoe: Reader, people: People
) -> None:
    answer = qualify(zoe, people.rosa, **changed)
    assert answer.status == 422
    assert "field--wrong" in answer.html
    assert not Qualification.objects.exists()


def test_nobody_grants_it_to_themselves_and_only_administrators_to_others(
    zoe: Reader, people: People, reading: Readers
) -> None:
    assert qualify(zoe, people.zoe).status == 403
    assert qualify(reading(people.ada), people.rosa).status == 403
    assert not Qualification.objects.exists()


def test_who_lacks_it_is_told_so_where_they_would_decide(
    zoe: Reader, desk: Desk, people: People, reading: Readers
) -> None:
    qualify(zoe, people.rosa)
    reviewers = [{"name": "reviewer", "approve": 1}]
    desk.put_in_force({"action": "ledger.*", "groups": reviewers, "training": "refunds-2"})
    address = address_of(desk.propose_refund())
    (other,) = people.reviewers(1)
    words = "Only who holds a valid qualification of “refunds-2” for this action decides it."
    assert words.replace("“", '"').replace("”", '"') in reading(other).get(address).text
    assert "You may not decide this" not in reading(people.rosa).get(address).text


def test_who_has_decided_enough_is_told_from_when_on_they_may_again(
    zoe: Reader, desk: Desk, people: People, reading: Readers
) -> None:
    qualify(zoe, people.rosa, most_an_hour="1")
    reviewers = [{"name": "reviewer", "approve": 1}]
    desk.put_in_force({"action": "ledger.*", "groups": reviewers, "training": "refunds-2"})
    rosa = reading(people.rosa)
    rosa.decide(desk.propose_refund(), "reject")
    page = rosa.get(address_of(desk.propose_refund()))
    assert "You have decided as many as your qualification allows: again from" in page.text
