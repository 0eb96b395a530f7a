"""The people's pages: everybody reads them; administrators change what others may do."""

import json
from typing import Any

import pytest

from engine.models import Event, Proposal
from oversight.models import Person
from tests.cast import PASSWORD, People
from tests.pages.reading import Page, Reader, Readers, address_of, elements
from tests.world import Desk

REASON = "They work elsewhere now."


@pytest.fixture
def zoe(desk: Desk, people: People, reading: Readers) -> Reader:
    """Zoe, who administers, at her browser; Rosa and Yara are there, too."""
    assert people.rosa
    assert people.yara
    return reading(people.zoe)


def page_of(person: Person) -> str:
    return f"/people/{person.pk}/"


def change(reader: Reader, person: Person, do: str, *groups: str, **changed: Any) -> Page:
    """Press a button of somebody's page; `groups` are the boxes that are ticked then."""
    page = reader.get(page_of(person))
    found = elements(page.html, "input")
    seen = next((each["value"] for each in found if each.get("name") == "seen"), "{}")
    boxes = {f"group{place}": "on" for place, name in enumerate(ROLES) if name in groups}
    fields = {"do": do, "seen": seen, "reason": REASON, **boxes, **changed}
    return reader.post(f"{page_of(person)}change/", **fields)


ROLES = ("reviewer", "operator", "auditor", "integrator", "administrator")


def told() -> list[dict[str, Any]]:
    """What the log of people says, in order."""
    events = Event.objects.filter(kind="person_changed").order_by("seq")
    return [json.loads(bytes(event.payload or b"")) for event in events]


class TestTheList:
    def test_shows_everybody_with_their_roles(self, zoe: Reader) -> None:
        page = zoe.get("/people/")
        assert page.html.count("data-row") == len(Person.objects.all())
        assert "Rosa Lind rosa Reviewer" in page.text

    @pytest.mark.parametrize(
        ("wish", "names"),
        [
            ({"name": "rOs"}, ["rosa"]),
            ({"group": "administrator"}, ["yara", "zoe"]),
            ({"account": "closed"}, ["rosa"]),
            ({"account": "closed", "group": "administrator"}, []),
        ],
    )
    def test_is_narrowed_by_its_address(
        self, wish: dict[str, str], names: list[str], zoe: Reader, people: People
    ) -> None:
        Person.objects.filter(pk=people.rosa.pk).update(is_active=False)
        page = zoe.get("/people/", **wish)
        shown = Person.objects.filter(username__in=names)
        assert page.html.count("data-row") == len(names)
        assert all(page_of(person) in page.html for person in shown)
        assert ("Nobody is like that" in page.text) is (not names)

    def test_refuses_what_it_does_not_know(self, zoe: Reader) -> None:
        assert zoe.get("/people/", group="none").status == 400
        assert zoe.get("/people/", shape="round").status == 400

    def test_goes_on_behind_the_last_name_and_back(self, zoe: Reader, people: People) -> None:
        for number in range(60):
            people.somebody(f"aa{number:02}")
        first = zoe.get("/people/")
        second = zoe.get("/people/", after="aa49")
        assert first.html.count("data-row") == 50
        assert "/people/?after=aa49" in first.html
        assert 'rel="prev"' not in first.html
        assert "aa50" in second.text
        assert 'rel="next"' not in second.html
        back = zoe.get("/people/", before="aa50")
        assert ("aa49" in back.text, "aa50" in back.text) == (True, False)


class TestOnePerson:
    def test_mail_and_last_sign_in_are_for_those_who_look_after_people(
        self, zoe: Reader, people: People, reading: Readers
    ) -> None:
        Person.objects.filter(pk=people.rosa.pk).update(email="rosa@example.org")
        assert "rosa@example.org" in zoe.get(page_of(people.rosa)).text
        assert "rosa@example.org" in reading(people.rosa).get(page_of(people.rosa)).text
        others = reading(people.tomas).get(page_of(people.rosa))
        assert others.status == 200
        assert "rosa@example.org" not in others.text
        assert "Last sign-in" not in others.text

    def test_only_administrators_find_something_to_change_and_nobody_about_themselves(
        self, zoe: Reader, people: People, reading: Readers
    ) -> None:
        assert "Close the account" in zoe.get(page_of(people.rosa)).text
        assert "Close the account" not in reading(people.ada).get(page_of(people.rosa)).text
        own = zoe.get(page_of(people.zoe)).text
        assert "Close the account" not in own
        assert "Another administrator changes what you may do." in own

    def test_who_is_not_there_is_not_found(self, zoe: Reader) -> None:
        assert zoe.get("/people/99999/").status == 404
        assert zoe.get(f"/people/{2**70}/").status == 404

    def test_says_what_rests_on_them(self, zoe: Reader, desk: Desk, people: People) -> None:
        desk.approved_refund()
        assert "1 approval of theirs is not carried out yet." in zoe.get(page_of(people.rosa)).text
        assert "approved: 1" in zoe.get(page_of(people.rosa)).text


class TestAnAccountThatIsClosed:
    def test_ends_every_session_at_once_and_none_comes_back(
        self, zoe: Reader, people: People, reading: Readers
    ) -> None:
        here, there = reading(people.rosa), reading(people.rosa)
        assert here.get("/inbox/").status == there.get("/inbox/").status == 200
        answer = change(zoe, people.rosa, "close")
        assert answer.response.headers["Location"] == page_of(people.rosa)
        assert here.get("/inbox/").status == 302
        change(zoe, people.rosa, "open")
        assert here.get("/inbox/").status == there.get("/inbox/").status == 302
        anew = reading()
        anew.post("/sign-in/", login="rosa", password=PASSWORD)
        assert anew.get("/inbox/").status == 200

    def test_is_an_event_that_says_what_it_was_and_is(self, zoe: Reader, people: People) -> None:
        change(zoe, people.rosa, "close")
        (event,) = told()
        assert event["before"] == {"active": True, "groups": ["reviewer"]}
        assert event["after"] == {"active": False, "groups": ["reviewer"]}
        assert (event["subject"], event["person"]) == (people.rosa.pk, people.zoe.pk)
        assert event["reason"] == REASON
        log = zoe.get("/audit/").text
        assert "Person changed" in log

    def test_decides_no_more_from_a_page_that_lies_open(
        self, zoe: Reader, desk: Desk, people: People, reading: Readers
    ) -> None:
        proposal, rosa = desk.propose_refund(), reading(people.rosa)
        page = rosa.get(address_of(proposal))
        change(zoe, people.rosa, "close")
        fields = {**page.form, "decision": "approve", "reason": "Seen."}
        assert rosa.post(f"{address_of(proposal)}decide/", **fields).status == 302
        assert Proposal.objects.get(pk=proposal.pk).status == "open"

    def test_has_approved_nothing_that_is_still_to_be_carried_out(
        self, zoe: Reader, desk: Desk, people: People
    ) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        desk.approve(proposal, by=people.rosa)
        change(zoe, people.rosa, "close")
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0
        assert Proposal.objects.get(pk=proposal.pk).status == "lapsed"


class TestOtherRoles:
    def test_hold_at_once(self, zoe: Reader, people: People, reading: Readers) -> None:
        rosa = reading(people.rosa)
        change(zoe, people.rosa, "groups", "operator", more="treasurer")
        assert set(people.rosa.groups.values_list("name", flat=True)) == {"operator", "treasurer"}
        assert "Counts in the policy as treasurer" in rosa.get(page_of(people.rosa)).text
        (event,) = told()
        assert event["before"]["groups"] == ["reviewer"]
        assert event["after"]["groups"] == ["operator", "treasurer"]

    def test_between_view_and_click_leave_nothing_to_decide(
        self, zoe: Reader, desk: Desk, people: People, reading: Readers
    ) -> None:
        proposal, rosa = desk.propose_refund(), reading(people.rosa)
        page = rosa.get(address_of(proposal))
        change(zoe, people.rosa, "groups", "operator")
        fields = {**page.form, "decision": "approve", "reason": "Seen."}
        assert rosa.post(f"{address_of(proposal)}decide/", **fields).status == 403
        assert Proposal.objects.get(pk=proposal.pk).status == "open"

    def test_between_click_and_execution_leave_nothing_to_carry_out(
        self, zoe: Reader, desk: Desk, people: People
    ) -> None:
        proposal = desk.propose_refund(order := desk.purchase())
        desk.approve(proposal, by=people.rosa)
        change(zoe, people.rosa, "groups", "operator")
        desk.work(proposal.run_id)
        assert desk.ledger.movements(order) == 0
        assert Proposal.objects.get(pk=proposal.pk).status == "lapsed"

    def test_are_not_given_from_a_page_that_is_old(self, zoe: Reader, people: People) -> None:
        seen = json.dumps({"active": True, "groups": []})
        answer = change(zoe, people.rosa, "groups", "operator", seen=seen)
        assert answer.status == 409
        assert "Somebody else has changed it meanwhile." in answer.text
        assert told() == []

    def test_need_a_reason_and_a_difference(self, zoe: Reader, people: People) -> None:
        assert change(zoe, people.rosa, "groups", "operator", reason=" ").status == 422
        assert change(zoe, people.rosa, "groups", "reviewer").status == 409
        assert change(zoe, people.rosa, "dance").status == 400
        assert change(zoe, people.rosa, "close", seen="[").status == 400
        assert told() == []


def test_nobody_changes_their_own(zoe: Reader, people: People) -> None:
    seen = json.dumps({"active": True, "groups": ["administrator"]})
    answer = change(zoe, people.zoe, "close", seen=seen)
    assert answer.status == 403
    assert "Nobody changes what they may do themselves." in answer.text
    assert told() == []


def test_only_administrators_change_others(zoe: Reader, people: People, reading: Readers) -> None:
    for name in ("rosa", "otto", "ada", "ines"):
        seen = json.dumps({"active": True, "groups": ["reviewer"]})
        answer = change(reading(getattr(people, name)), people.tomas, "close", seen=seen)
        assert answer.status == 403, name
    assert told() == []


def test_of_two_who_close_each_other_s_account_one_stays(
    zoe: Reader, people: People, reading: Readers
) -> None:
    yara = reading(people.yara)
    seen = json.dumps({"active": True, "groups": ["administrator"]})
    change(zoe, people.yara, "close", seen=seen)
    assert change(yara, people.zoe, "close", seen=seen).status == 302
    assert Person.objects.get(pk=people.zoe.pk).is_active
