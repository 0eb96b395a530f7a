"""A proposal's page while it is looked at: where it stands moves, the decision never does."""

import re

from tests.cast import People
from tests.pages.reading import Page, Reader, address_of
from tests.world import Database, Desk


def polled(page: Page) -> str:
    return page.attribute("hx-get")


def test_nothing_new_is_answered_with_nothing(desk: Desk, rosa: Reader) -> None:
    address = polled(rosa.get(address_of(desk.propose_refund())))
    answer = rosa.poll(address)
    assert (answer.status, answer.html) == (204, "")


def test_the_live_part_holds_no_decision(desk: Desk, rosa: Reader) -> None:
    page = rosa.get(address_of(desk.propose_refund()))
    region = page.html.partition('id="standing"')[2].partition("</section>")[0]
    assert "<form" not in region
    assert "<button" not in region


def test_somebody_elses_decision_is_announced_and_the_form_stays(
    desk: Desk, people: People, rosa: Reader
) -> None:
    proposal = desk.propose_refund()
    address = polled(rosa.get(address_of(proposal)))
    desk.decide(proposal, "reject", by=people.somebody("nina", "reviewer", full_name="Nina Roth"))
    answer = rosa.poll(address)
    assert "Nina Roth has decided this" in answer.text
    assert 'hx-swap-oob="innerHTML:#proposal-news"' in answer.html
    assert "<form" not in answer.html


def test_a_time_that_runs_out_is_announced(desk: Desk, database: Database, rosa: Reader) -> None:
    proposal = desk.propose_refund()
    address = polled(rosa.get(address_of(proposal)))
    database.deadline_passes_for(proposal.pk)
    assert "The time for this decision has passed" in rosa.poll(address).text


def test_a_decided_page_is_told_how_it_goes_on_and_nothing_is_announced(
    desk: Desk, rosa: Reader
) -> None:
    proposal = desk.approved_refund()
    address = polled(rosa.get(address_of(proposal)))
    desk.work(proposal.run_id)
    answer = rosa.poll(address)
    assert answer.html.count("stations__stop--done") == 7
    assert "proposal-news" not in answer.html


def test_live_updates_end_when_all_is_settled(desk: Desk, rosa: Reader) -> None:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    assert "hx-get" not in rosa.get(address_of(proposal)).html


def test_who_asked_is_told_that_the_agent_has_answered(desk: Desk, rosa: Reader) -> None:
    first = desk.propose_refund()
    desk.decide(first, "return")
    desk.work(first.run_id)
    address = polled(rosa.get(address_of(first)))
    desk.answer(first, "A-1", "20.00")
    desk.work(first.run_id)
    answer = rosa.poll(address)
    assert "The agent has answered" in answer.text
    assert 'hx-swap-oob="innerHTML:#proposal-news"' in answer.html
    assert "hx-get" not in answer.html, "and nothing is asked any more"
    assert re.search(r'id="standing"', answer.html)
    assert "The agent has answered" not in rosa.get(address_of(first)).text
