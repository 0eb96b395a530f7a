"""The road to a decision where it bends: a question and its answer, a forged proof, two at once,
and a right that is lost on the way. At real screens, held against WCAG in light and in dark."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from engine.models import Decision, Proposal
from oversight.models import Agent, Person
from tests.agents_api.caller import PROPOSAL, REFUND, RUNS, issued
from tests.cast import People
from tests.engine.together import wait_for_waiting
from tests.pages.reading import address_of
from tests.pages.screens import Screen
from tests.world import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

Sit = Callable[..., Screen]
APPROVE = "Approve"


@pytest.fixture
def mina(people: People) -> Person:
    return people.somebody("mina", "reviewer", full_name="Mina Roth")


def looked_through(page: "Page", reason: str = "Matches the evidence") -> "Page":
    """All that is folded was opened, and a reason is given: one click is left."""
    page.wait_for_load_state()
    page.locator("details[data-fold] > summary").click()
    page.get_by_label(reason).check()
    return page


def press(page: "Page", verdict: str) -> None:
    page.get_by_role("button", name=verdict, exact=True).click()


def test_a_question_is_answered_by_the_agent_and_what_it_says_now_is_decided(
    desk: Desk, people: People, at_screen: Sit
) -> None:
    agent = Agent.objects.create(name="refund-desk", owner=people.tomas)
    caller, order = issued(agent, "*", valid_for=timedelta(hours=1)), desk.purchase()
    run_id = caller.start_run()
    asked = {**REFUND, "order": order}
    proposal_id = caller.propose(run_id, arguments=asked)
    desk.work(run_id)

    rosa, address = at_screen(people.rosa), f"/proposals/{proposal_id}"
    page = rosa.open(f"{address}/1/")
    page.get_by_label("In your own words").fill("Why all of it? <b>The fee</b> stays.")
    press(page, "Return with a question")
    page.get_by_text("The agent is sent your question.").wait_for()
    assert rosa.is_fit_for_everybody()
    desk.work(run_id)

    told = caller.proposal(run_id, proposal_id)
    assert (told["status"], told["final"]) == ("returned", False)
    assert told["question"] == "Why all of it? <b>The fee</b> stays."
    answer = {"version": 1, "action": PROPOSAL["action"], "arguments": {**asked, "amount": "20.00"}}
    said = caller.post(
        f"{RUNS}/{run_id}/proposals/{proposal_id}/answers", {**answer, "why": "You are right."}
    )
    assert said.status_code == 202
    desk.work(run_id)

    page.locator("#proposal-news").get_by_text("The agent has answered").wait_for()
    page.get_by_role("link", name="Show it as it is now").click()
    page.wait_for_url(f"**{address}/2/")
    both = page.get_by_role("region", name="Question and answer")
    expect(both).to_contain_text("Why all of it? <b>The fee</b> stays.")
    expect(both).to_contain_text("You are right.")
    differs = page.get_by_role("region", name="from the version before")
    assert {"25.00", "20.00"} <= set(differs.inner_text().split())
    assert rosa.is_fit_for_everybody()
    press(looked_through(page), APPROVE)
    page.get_by_role("heading", name="You have decided this").wait_for()
    desk.work(run_id)
    assert caller.proposal(run_id, proposal_id)["effect"]["committed_at"]
    assert (desk.ledger.refunded(order), desk.ledger.movements(order)) == ("20.00", 1)


def test_a_page_whose_proof_of_what_it_showed_was_tampered_with_approves_nothing(
    desk: Desk, people: People, at_screen: Sit
) -> None:
    """Neither made up, nor taken from another page that was really shown to the same person."""
    proposal, cheaper = desk.propose_refund(amount="75.00"), desk.propose_refund(amount="5.00")
    rosa = at_screen(people.rosa)
    proof = "input[name=displayed]"
    stolen = rosa.open(address_of(cheaper)).locator(proof).input_value()
    for forged in ("eyJkaWdlc3QiOiJ4In0:1abcde:forged", stolen):
        page = looked_through(rosa.open(address_of(proposal)))
        page.locator(proof).evaluate("(field, forged) => { field.value = forged }", forged)
        press(page, APPROVE)
        page.get_by_role("heading", name="This is not what your page showed").wait_for()
    assert rosa.is_fit_for_everybody()
    assert not Decision.objects.exists()
    page.get_by_role("link", name="See where it stands now").click()
    press(looked_through(page), APPROVE)
    page.get_by_role("heading", name="You have decided this").wait_for()
    assert Decision.objects.get().proposal == proposal


def test_two_whose_approvals_are_both_needed_press_at_the_same_instant(
    desk: Desk, people: People, mina: Person, at_screen: Sit
) -> None:
    """Both stand before the run's row before either may go on; neither saw the other's word."""
    assert people.rosa
    order = desk.purchase()
    desk.put_in_force({"action": "ledger.*", "groups": [{"name": "reviewer", "approve": 2}]})
    proposal = desk.propose_refund(order)
    screens = [at_screen(people.rosa), at_screen(mina)]
    pages = [looked_through(screen.open(address_of(proposal))) for screen in screens]
    assert all("Nobody has been heard yet." in page.inner_text("main") for page in pages)
    assert screens[0].is_fit_for_everybody()
    with desk.database.connected() as holder, holder.transaction():
        row = "SELECT 1 FROM engine_run WHERE run_id = %s FOR UPDATE"
        holder.execute(row, [proposal.run_id])
        for page in pages:
            page.get_by_role("button", name=APPROVE, exact=True).click(no_wait_after=True)
        wait_for_waiting(desk.database, 2, "decide(")
    for page in pages:
        # whoever came first may have been answered before the other was heard
        page.get_by_text(re.compile("^You approved this|^Your word is in. Others")).wait_for()
        page.reload()
        page.get_by_role("heading", name="You have decided this").wait_for()
        assert {"Rosa Lind", "Mina Roth"} <= set(page.locator(".actor").all_inner_texts())
    assert screens[1].is_fit_for_everybody()
    assert Decision.objects.filter(proposal=proposal, decision="approve").count() == 2
    desk.work(proposal.run_id)
    assert desk.ledger.movements(order) == 1
    assert desk.database.kinds(proposal.run_id).count("proposal_approved") == 1


def roles_taken_away(zoe: Screen, person: Person) -> None:
    """By Zoe, on the person's page."""
    page = zoe.open(f"/people/{person.pk}/")
    page.locator("summary").filter(has_text="Roles and groups").click()
    form = page.get_by_role("form", name="Roles and groups")
    form.get_by_label("Reviewer").uncheck()
    form.get_by_label("Reason").fill("They work elsewhere now.")
    form.get_by_role("button", name="Change it").click()
    page.get_by_text("No role: no page can be opened.").wait_for()


def test_a_role_that_is_lost_between_view_and_click_or_click_and_act_leaves_nothing_done(
    desk: Desk, people: People, mina: Person, at_screen: Sit
) -> None:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    zoe, rosa, other = at_screen(people.zoe), at_screen(people.rosa), at_screen(mina)
    lying_open = looked_through(rosa.open(address_of(proposal)))

    page = looked_through(other.open(address_of(proposal)))
    press(page, APPROVE)
    page.get_by_role("heading", name="You have decided this").wait_for()
    roles_taken_away(zoe, mina)
    desk.work(proposal.run_id)
    assert desk.ledger.movements(order) == 0
    assert Proposal.objects.get(pk=proposal.pk).status == "lapsed"

    lying_open.get_by_role("link", name="Show it as it is now").click()
    lying_open.wait_for_url(f"**/proposals/{proposal.proposal_id}/2/")
    assert rosa.is_fit_for_everybody()
    looked_through(lying_open)
    roles_taken_away(zoe, people.rosa)
    press(lying_open, APPROVE)
    lying_open.get_by_role("heading", name="You may not do this").wait_for()
    assert rosa.is_fit_for_everybody()
    desk.work(proposal.run_id)
    assert desk.ledger.movements(order) == 0
    assert [each.person for each in Decision.objects.all()] == [mina]
    for screen in (rosa, other):
        screen.forgives(403)
