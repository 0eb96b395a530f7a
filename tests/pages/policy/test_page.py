"""The policy in words: who has to agree, for what, and whether they could."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engine import actions, api
from engine.models import Policy
from tests.cast import CAST, People, reviewer
from tests.pages.hostile import HARM, MARKUP
from tests.pages.policy.written import proposed, words
from tests.pages.reading import Page, Reader, Readers, address_of, contents
from tests.world import Database, Desk

POLICY = "/policy/"
TWO = {"action": "ledger.*", "risk": "medium", "groups": [{"name": "reviewer", "approve": 2}]}
ODD = {
    "action": "mail.*",
    "groups": [{"name": "reviewer", "approve": 1}, {"name": "treasurer", "approve": 2}],
    "reject": 2,
    "time_limit_seconds": 7200,
    "wait_seconds": 5400,
    "fresh_rehearsal": True,
    "blind": False,
    "challenge": "always",
}


def rules(page: Page) -> list[str]:
    """What the table of the rules says, row by row."""
    table = page.html.partition("policy__rules")[2].partition("</table>")[0]
    found = re.findall(r'<tr role="row" data-row>.*?</tr>', table, re.DOTALL)
    return [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in found]


@pytest.fixture
def zoe(desk: Desk, people: People, reading: Readers) -> Reader:
    assert people.rosa
    return reading(people.zoe)


@pytest.fixture
def yara(people: People, reading: Readers) -> Reader:
    return reading(people.yara)


def test_the_first_policy_is_one_rule_for_every_action(desk: Desk, rosa: Reader) -> None:
    page = rosa.get(POLICY)
    assert page.status == 200
    (only,) = rules(page)
    assert "Every action at any risk" in only
    assert "1 of reviewer" in only
    assert "one rejection" in only
    assert "24 h to decide and do no waiting after that" in only
    for action in actions.registered():
        assert action.label() in only


def test_a_rule_is_told_in_words_with_the_actions_it_holds_for(desk: Desk, rosa: Reader) -> None:
    desk.people.reviewers(1)
    for name in ("tessa", "theo"):
        desk.people.somebody(name, "treasurer")
    desk.put_in_force(TWO, ODD)
    first, second, last = rules(rosa.get(POLICY))
    assert "ledger.* Medium Now: ledger.bank_surplus v1 ," in first
    assert "2 of reviewer" in first
    for each in (
        "1 of reviewer 2 of treasurer",
        "2 rejections",
        "2 h to decide and do 1 h 30 min to think after the last approval",
        "Everybody sees at once what others said",
        "Only with a rehearsal that still counts",
        "The operative value is always typed",
        "mail.tell_customer v1",
    ):
        assert each in second
    assert "Everything else" in last
    assert "mail.tell_customer" not in last


def test_no_json_is_shown(desk: Desk, rosa: Reader) -> None:
    desk.put_in_force({**TWO, "groups": ODD["groups"][:1]})
    for address in (POLICY, "/policy/2/"):
        assert "wait_seconds" not in rosa.get(address).html
        assert '{"' not in words(rosa.get(address))


def test_a_group_with_too_few_people_now_is_told(desk: Desk, rosa: Reader) -> None:
    (other,) = desk.people.reviewers(1)
    desk.put_in_force(TWO)
    assert "Only 1 active person" not in words(rosa.get(POLICY))
    other.is_active = False
    other.save()
    assert "Only 1 active person is in reviewer." in rules(rosa.get(POLICY))[0]


def test_so_are_too_few_for_two_groups_together(desk: Desk, rosa: Reader) -> None:
    both = desk.people.somebody("both", "treasurer")
    desk.people.rosa.groups.add(*both.groups.all())
    pair = [{"name": "reviewer", "approve": 1}, {"name": "treasurer", "approve": 1}]
    desk.put_in_force({"action": "mail.*", "groups": pair})
    both.is_active = False
    both.save()
    first, last = rules(rosa.get(POLICY))
    assert "Too few people for its groups together: nobody counts for two of them." in first
    assert "Too few" not in last


def test_a_group_that_is_gone_is_told(desk: Desk, rosa: Reader) -> None:
    tessa = desk.people.somebody("tessa", "treasurer")
    desk.put_in_force({"action": "mail.*", "groups": [{"name": "treasurer", "approve": 1}]})
    tessa.groups.get().delete()
    assert "There is no group treasurer." in rules(rosa.get(POLICY))[0]


@pytest.mark.parametrize("name", CAST)
def test_everybody_reads_it_and_administrators_alone_are_led_on(
    name: str, people: People, desk: Desk, reading: Readers
) -> None:
    page = reading(getattr(people, name)).get(POLICY)
    assert page.status == 200
    assert ("Propose a change" in words(page)) is (name in ("zoe", "yara"))


def test_a_stranger_is_sent_to_sign_in(desk: Desk, reading: Readers) -> None:
    for address in (POLICY, "/policy/1/", "/policy/propose/"):
        answer = reading().get(address)
        assert answer.response.headers["Location"].startswith("/sign-in/")


def test_looking_changes_nothing(desk: Desk, zoe: Reader, database: Database) -> None:
    proposed(zoe, rule_0_approve0="1")
    before = contents(database)
    for address in (POLICY, "/policy/1/", "/policy/2/", "/policy/propose/"):
        assert zoe.get(address).status == 200
    assert contents(database) == before


def test_what_waits_stands_first_with_what_it_changes(
    desk: Desk, people: People, zoe: Reader, rosa: Reader
) -> None:
    people.reviewers(1)
    number = proposed(zoe, reason="Large refunds went out on one word.")
    page = rosa.get(POLICY)
    assert words(page).index("Waiting for a second person") < words(page).index("Every version")
    assert "Zoe Hall" in words(page)
    assert "Large refunds went out on one word." in words(page)
    assert "Added ledger.* as rule 1" in words(page)
    assert f'href="/policy/{number}/"' in page.html


def test_every_version_stays_with_who_when_why_and_what(
    desk: Desk, people: People, zoe: Reader, rosa: Reader
) -> None:
    people.reviewers(1)
    desk.put_in_force(TWO)
    dropped = api.propose_policy(
        [{"action": "*", "groups": TWO["groups"]}],
        administrator=reviewer(people.zoe),
        reason="Everything by two.",
    )
    api.drop_policy(dropped, administrator=reviewer(people.yara), reason="Too slow for mail.")
    history = words(rosa.get(POLICY)).partition("Every version")[2]
    assert "Version 3 Dropped Everything by two. 1 rule removed, 1 rule changed" in history
    assert "Version 2 In force We have learned something. 1 rule added" in history
    assert "Version 1 Retired" in history
    assert "The first policy." in history

    page = rosa.get("/policy/3/")
    assert "Dropped by Yara Sole" in words(page)
    assert "Their reason Too slow for mail." in words(page)
    assert "What differs from version 2" in words(page)


def test_an_old_version_is_compared_with_the_one_before_it(desk: Desk, rosa: Reader) -> None:
    desk.people.reviewers(1)
    desk.put_in_force(TWO)
    desk.put_in_force({**TWO, "reject": 2})
    page = rosa.get("/policy/2/")
    assert "What differs from version 1" in words(page)
    assert "Added ledger.*, at medium risk as rule 1" in words(page)
    assert "In force until" in words(page)
    assert "What differs from version 2" in words(rosa.get("/policy/3/"))
    assert "There was no policy before it." in words(rosa.get("/policy/1/"))


def test_a_version_that_never_was_is_not_found(desk: Desk, rosa: Reader) -> None:
    assert rosa.get("/policy/9/").status == 404
    assert rosa.get("/policy/99999999999999999999/").status == 404
    assert rosa.get(POLICY, below="x").status == 400


def test_history_goes_on_behind_its_first_page(
    desk: Desk, people: People, rosa: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oversight.pages.policy.reads.PAGE", 2)
    for _ in range(2):
        desk.put_in_force(TWO | {"groups": ODD["groups"][:1]})
    first = rosa.get(POLICY)
    assert re.findall(r"Version (\d)</a></th>", first.html) == ["3", "2"]
    assert 'href="/policy/?below=2"' in first.html
    assert re.findall(r"Version (\d)</a></th>", rosa.get(POLICY, below="2").html) == ["1"]


def test_without_a_policy_it_says_what_that_means(
    desk: Desk, database: Database, rosa: Reader
) -> None:
    database.execute("UPDATE engine_policy SET status = 'retired'")
    assert "No policy is in force" in words(rosa.get(POLICY))


def test_it_asks_as_often_however_much_there_is(
    desk: Desk, people: People, zoe: Reader, rosa: Reader
) -> None:
    def asked(address: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert rosa.get(address).status == 200
        return len(queries)

    proposed(zoe, rule_0_approve0="1")
    rosa.get(POLICY)
    few = asked(POLICY), asked("/policy/2/")
    for name in ("ledger.refund", "ledger.reverse_refund", "mail.tell_customer"):
        desk.put_in_force({"action": name, "groups": ODD["groups"][:1]})
        proposed(zoe, rule_0_action="pager.*", rule_0_approve0="1")
        desk.propose_refund()
        people.somebody(name)
    assert (asked(POLICY), asked("/policy/2/")) == few


def test_what_people_write_is_text(desk: Desk, zoe: Reader, yara: Reader, rosa: Reader) -> None:
    for text in MARKUP:
        number = proposed(zoe, reason=text, rule_0_approve0="1")
        yara.post(f"/policy/{number}/answer/", do="drop", instead_of="1", reason=text)
    for address in (POLICY, *(f"/policy/{each.version}/" for each in Policy.objects.all())):
        html = rosa.get(address).html.partition("<main")[2]
        for harm in HARM:
            assert harm not in html, address


def test_a_proposal_says_its_rule_in_the_same_words(desk: Desk, rosa: Reader) -> None:
    desk.people.reviewers(1)
    desk.put_in_force({**TWO, "wait_seconds": 3600, "risk": "any"})
    page = rosa.get(address_of(desk.propose_refund()))
    assert "Policy version 2 : 2 of reviewer; 1 h to think after that" in words(page)
    assert 'href="/policy/2/"' in page.html
