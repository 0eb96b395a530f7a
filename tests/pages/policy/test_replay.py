"""The last days under other rules: what would have come to something else, and which."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from engine import api, sweeper
from engine.models import Proposal
from oversight.pages.policy import decided, replayed
from tests.cast import reviewer
from tests.engine.test_qualifications import grant
from tests.pages.hostile import HARM, MARKUP
from tests.pages.policy.written import words
from tests.pages.reading import Page, Reader, Readers, address_of, contents
from tests.world import Database, Desk

ONE = [{"name": "reviewer", "approve": 1}]
TWO = {"action": "ledger.*", "groups": [{"name": "reviewer", "approve": 2}]}

Replays = Callable[..., Page]


@pytest.fixture
def replay(desk: Desk, rosa: Reader) -> Replays:
    """The replay under these rules, then one reviewer for everything else, as Rosa reads it."""

    def look(*rules: dict[str, Any]) -> Page:
        zoe = reviewer(desk.people.zoe)
        whole = [*rules, {"action": "*", "groups": ONE}]
        number = api.propose_policy(whole, administrator=zoe, reason="To see.")
        page = rosa.get(f"/policy/{number}/replay/")
        assert page.status == 200
        return page

    assert desk.people.rosa
    return look


def counts(page: Page) -> str:
    return words(page).partition("What they would come to")[2].partition("How it is judged")[0]


def expired(desk: Desk) -> Proposal:
    proposal = desk.propose_refund()
    desk.database.deadline_passes_for(proposal.pk)
    sweeper.run_once()
    return proposal


def test_what_was_decided_is_counted_by_action_and_what_differs_is_listed(
    desk: Desk, replay: Replays
) -> None:
    approved = desk.approved_refund()
    rejected = desk.propose_refund()
    desk.decide(rejected, "reject")
    desk.propose_refund()
    expired(desk)
    page = replay(TWO)
    assert "1 of 3 proposals would have come to something else" in words(page)
    assert "ledger.refund Medium Rule 1 ledger.* 3" in counts(page)
    assert "2 the same 1 would need more approvals" in counts(page)
    assert "Lacking: 1 more of reviewer. Rule 1." in words(page)
    assert address_of(approved) in page.html
    assert address_of(rejected) not in page.html
    assert "the last 90 days" in words(page)


def test_the_bar_has_the_same_numbers(desk: Desk, replay: Replays) -> None:
    for _ in range(2):
        desk.decide(desk.propose_refund(), "reject")
    desk.approved_refund()
    html = replay(TWO).html
    assert 'viewBox="0 0 3 1"' in html
    assert '<rect class="replay__part--same" x="0" width="2" height="1"/>' in html
    assert '<rect class="replay__part--more" x="2" width="1" height="1"/>' in html


def test_two_who_said_yes_are_enough_for_two(desk: Desk, replay: Replays) -> None:
    people = desk.people.reviewers(2)
    desk.put_in_force(TWO)
    proposal = desk.propose_refund()
    for person in people:
        desk.approve(proposal, by=person)
    three = {**TWO, "groups": [{"name": "reviewer", "approve": 3}]}
    page = replay(three)
    assert "1 of 1 proposal would have come to something else" in words(page)
    assert "Lacking: 1 more of reviewer." in words(page)
    for enough in (TWO, {**TWO, "groups": ONE}):
        assert "The 1 proposal would have come to the same" in words(replay(enough))


def test_people_count_for_the_groups_they_are_in_now(desk: Desk, replay: Replays) -> None:
    desk.approved_refund()
    tess = {"action": "*", "risk": "medium", "groups": [{"name": "treasurer", "approve": 1}]}
    assert "1 more of treasurer" in words(replay(tess))
    group = desk.people.somebody("tessa", "treasurer").groups.get()
    desk.people.rosa.groups.add(group)
    page = replay(tess)
    assert "The 1 proposal would have come to the same" in words(page)
    assert "they count for the groups that they are in now" in words(page)


def test_it_looks_no_further_back_and_says_where_it_ends(
    desk: Desk, replay: Replays, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        desk.approved_refund()
    monkeypatch.setattr(decided, "MOST", 2)
    assert "only the newest 2 are looked at" in words(replay(TWO))
    monkeypatch.setattr(replayed.of, "__kwdefaults__", {"shown": 1})
    assert "The newest 1 of 2 are listed." in words(replay(TWO))
    database.execute("UPDATE engine_proposal SET closed_at = closed_at - interval '91 days'")
    assert "Nothing was decided in the last 90 days" in words(replay(TWO))


def test_what_a_rehearsal_asked_is_no_work_of_anybody(desk: Desk, replay: Replays) -> None:
    desk.approved_refund()
    desk.database.execute("UPDATE engine_run SET initiator = 'system:rehearsal'")
    assert "Nothing was decided" in words(replay(TWO))


def test_a_training_counts_as_it_was_at_the_decision(
    desk: Desk, replay: Replays, database: Database
) -> None:
    grant(desk, desk.people.rosa)
    desk.approved_refund()
    trained = {"action": "*", "risk": "medium", "groups": ONE, "training": "refunds-2"}
    assert "would have come to the same" in words(replay(trained))
    database.execute("UPDATE engine_qualification SET withdrawn_at = now() - interval '1 day'")
    assert "1 approval would not count" in words(replay(trained))


def test_the_page_of_what_is_proposed_leads_there(desk: Desk, rosa: Reader) -> None:
    rules = [{"action": "*", "groups": ONE, "reject": 2}]
    api.propose_policy(rules, administrator=reviewer(desk.people.zoe), reason="To see.")
    assert 'href="/policy/2/replay/"' in rosa.get("/policy/2/").html
    assert "/replay/" not in rosa.get("/policy/1/").html
    assert rosa.get("/policy/9/replay/").status == 404


def test_it_asks_as_often_however_much_there_is(desk: Desk, replay: Replays, rosa: Reader) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert rosa.get("/policy/2/replay/").status == 200
        return len(queries)

    desk.approved_refund()
    replay(TWO)
    few = asked()
    for person in desk.people.reviewers(3):
        desk.approve(desk.propose_refund(), by=person)
        desk.decide(desk.propose_for_good(), "reject", by=person)
    expired(desk)
    assert asked() == few


def test_looking_changes_nothing_and_text_is_text(
    desk: Desk, replay: Replays, rosa: Reader, reading: Readers, database: Database
) -> None:
    for text in MARKUP:
        desk.approve(desk.propose_refund(desk.ledger.add_purchase(text), why=text))
    html = replay(TWO).html.partition("<main")[2]
    assert len(re.findall("replay__kind--more", html)) == len(MARKUP) + 1
    for harm in HARM:
        assert harm not in html
    before = contents(database)
    rosa.get("/policy/2/replay/")
    assert contents(database) == before
    assert reading().get("/policy/2/replay/").status == 302
