"""The inbox while it is looked at: news announce themselves, nothing moves."""

import re

from engine.models import Proposal
from tests.cast import People
from tests.pages.reading import Reader, Readers
from tests.world import Database, Desk


def polled(reader: Reader, address: str = "/inbox/") -> str:
    """Where the page that is being looked at asks for news."""
    return reader.get(address).attribute("hx-get")


def test_nothing_new_is_answered_with_nothing(desk: Desk, people: People, reading: Readers) -> None:
    desk.propose_refund()
    rosa = reading(people.rosa)
    answer = rosa.poll(polled(rosa))
    assert (answer.status, answer.html) == (204, "")


def test_newcomers_are_counted_and_not_pushed_in(
    desk: Desk, people: People, reading: Readers
) -> None:
    desk.propose_refund()
    rosa = reading(people.rosa)
    address = polled(rosa)
    desk.propose_refund()
    assert "1 new: show it" in rosa.poll(address).text
    desk.propose_refund()
    answer = rosa.poll(address)
    assert "2 new: show them" in answer.text
    assert "<tr" not in answer.html


def test_an_empty_inbox_hears_of_the_first_one(
    desk: Desk, people: People, reading: Readers
) -> None:
    rosa = reading(people.rosa)
    address = polled(rosa)
    desk.propose_refund()
    assert "1 new: show it" in rosa.poll(address).text


def test_what_one_may_not_decide_is_no_news(desk: Desk, people: People, reading: Readers) -> None:
    tomas = reading(people.tomas)
    address = polled(tomas)
    desk.propose_refund()
    assert tomas.poll(address).status == 204


def test_a_newcomer_with_an_older_clock_is_news_all_the_same(
    desk: Desk, people: People, database: Database, reading: Readers
) -> None:
    """Two transactions may commit in another order than their clocks say."""
    desk.propose_refund()
    rosa = reading(people.rosa)
    address = polled(rosa)
    late = desk.propose_refund()
    database.execute(
        "UPDATE engine_proposal SET opened_at = opened_at - interval '1 hour' WHERE id = %s",
        late.pk,
    )
    assert "1 new: show it" in rosa.poll(address).text


def test_what_somebody_else_decides_meanwhile_is_no_newcomer(
    desk: Desk, people: People, reading: Readers
) -> None:
    desk.propose_refund()
    gone = desk.propose_refund()
    rosa = reading(people.rosa)
    address = polled(rosa)
    desk.approve(gone, by=people.somebody("nina", "reviewer"))
    assert rosa.poll(address).status == 204


def test_a_mark_that_nobody_gave_counts_as_having_seen_nothing(
    desk: Desk, people: People, reading: Readers
) -> None:
    desk.propose_refund()
    for seen in ("", "x", "1", "~", "9~yesterday"):
        assert reading(people.rosa).poll("/inbox/live/", seen=seen).status == 200


def test_the_decided_list_follows_what_becomes_of_it(
    desk: Desk, people: People, reading: Readers
) -> None:
    proposal = desk.approved_refund()
    rosa = reading(people.rosa)
    address = polled(rosa, "/inbox/?show=decided")
    assert rosa.poll(address).status == 204
    desk.work(proposal.run_id)
    answer = rosa.poll(address)
    assert "Committed" in answer.text
    assert re.search(r'<section[^>]+id="decided"', answer.html)


def test_the_decided_list_is_still_once_all_of_it_is_settled(
    desk: Desk, people: People, reading: Readers
) -> None:
    proposal: Proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    assert "hx-get" not in reading(people.rosa).get("/inbox/?show=decided").html
