"""The decision in a real browser: what the keyboard, the folds and the live part do to it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from engine.models import Decision
from tests.cast import People
from tests.pages.reading import address_of
from tests.pages.screens import Screen
from tests.world import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

Sit = Callable[..., Screen]


@pytest.fixture
def rosa(desk: Desk, people: People, at_screen: Sit) -> Screen:
    return at_screen(people.rosa)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_enter_decides_nothing_but_on_a_button(
    desk: Desk, people: People, at_screen: Sit, scripts: bool
) -> None:
    rosa = at_screen(people.rosa, java_script_enabled=scripts)
    sent: list[str] = []
    page = rosa.open(address_of(desk.propose_refund()))
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    chip, words = page.get_by_label("Within policy"), page.get_by_label("In your own words")
    chip.check()
    for field in (chip, words, chip):
        field.press("Enter")
        field.press("Escape")
    assert sent == []
    words.fill("It is not as it says.")
    page.get_by_role("button", name="Reject").press("Enter")
    page.get_by_role("heading", name="You have decided this").wait_for()
    assert [decision.decision for decision in Decision.objects.all()] == ["reject"]


def test_approve_waits_until_every_folded_part_was_opened(desk: Desk, rosa: Screen) -> None:
    customer = "\n".join(f"line {number}" for number in range(80))
    proposal = desk.propose_refund(customer="Mara", evidence=[customer])
    page = rosa.open(address_of(proposal))
    approve = page.get_by_role("button", name="Approve", exact=True)
    assert approve.is_disabled()
    assert page.get_by_role("button", name="Reject").is_enabled()
    assert page.get_by_text("Open every folded part before you approve.").is_visible()
    assert rosa.is_fit_for_everybody()
    page.get_by_text("Written by the agent").click()
    assert approve.is_disabled(), "the long evidence inside is folded still"
    page.get_by_role("button", name="Lead me there").click()
    page.keyboard.press("Enter")
    assert approve.is_enabled()
    page.get_by_label("Matches the evidence").check()
    approve.click()
    page.get_by_role("heading", name="You have decided this").wait_for()
    assert Decision.objects.get().decision == "approve"
    assert rosa.is_fit_for_everybody()


def test_rejecting_takes_a_reason_and_one_click(desk: Desk, rosa: Screen) -> None:
    page = rosa.open(address_of(desk.propose_refund()))
    page.get_by_label("Wrong amount").check()
    page.get_by_role("button", name="Reject").click()
    page.get_by_text("You rejected this. Nothing of it will be done.").wait_for()
    assert Decision.objects.get().reason_code == "wrong_amount"
    assert rosa.is_fit_for_everybody()


def test_what_happens_meanwhile_is_said_and_takes_nothing_from_the_hand(
    desk: Desk, people: People, rosa: Screen
) -> None:
    nina = people.somebody("nina", "reviewer", full_name="Nina Roth")
    proposal = desk.propose_refund()
    page = rosa.open(address_of(proposal))
    words = page.get_by_label("In your own words")
    words.fill("I think")
    form = page.locator("form.decision").element_handle()
    assert form is not None
    desk.decide(proposal, "reject", by=nina)
    page.get_by_text("Nina Roth has decided this").wait_for(timeout=15_000)
    page.keyboard.type(" so")
    assert words.input_value() == "I think so"
    assert form.evaluate("form => form.isConnected"), "the form is the very same"
    assert page.locator("#live-status").count() == 1


def test_the_whole_page_works_without_any_script(
    desk: Desk, people: People, at_screen: Sit
) -> None:
    proposal = desk.propose_refund(why="Because it broke.")
    page = at_screen(people.rosa, java_script_enabled=False).open(address_of(proposal))
    assert page.get_by_text("Because it broke.").is_visible(), "nothing is folded"
    page.get_by_label("Within policy").check()
    page.get_by_role("button", name="Approve", exact=True).click()
    page.get_by_role("heading", name="You have decided this").wait_for()
    assert Decision.objects.get().decision == "approve"


def approve(page: "Page", *, folded: bool) -> None:
    """Look at what a script has folded, and press the button."""
    if folded:
        page.get_by_text("Written by the agent").click()
    page.get_by_role("button", name="Approve", exact=True).click()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_what_cannot_be_taken_back_is_approved_by_typing_its_amount(
    desk: Desk, people: People, at_screen: Sit, scripts: bool
) -> None:
    rosa = at_screen(people.rosa, java_script_enabled=scripts)
    sent: list[str] = []
    page = rosa.open(address_of(desk.propose_for_good(amount="25.00")))
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    typed = page.get_by_label("To approve, type 25.00")
    page.get_by_label("Within policy").check()
    typed.fill("25.00")
    typed.press("Enter")
    assert sent == [], "Enter approves nothing, not even with the right value"

    typed.fill("52.00")
    approve(page, folded=scripts)
    page.get_by_text("This is not the value above. Nothing was approved.").wait_for()
    assert not Decision.objects.exists()
    assert typed.input_value() == "52.00"
    assert page.get_by_label("Within policy").is_checked()
    assert not scripts or rosa.is_fit_for_everybody()

    typed.fill("25.00")
    approve(page, folded=scripts)
    page.get_by_role("heading", name="You have decided this").wait_for()
    assert Decision.objects.get().decision == "approve"
    rosa.forgives(422)


def test_the_value_can_be_copied_and_rejecting_needs_none(desk: Desk, rosa: Screen) -> None:
    page = rosa.open(address_of(desk.propose_for_good(amount="25.00")))
    # with all of the field in view: else its focus, which the first click gives it, scrolls there
    page.get_by_role("button", name="Approve").scroll_into_view_if_needed()
    page.locator(".proposal__value").dblclick()
    page.keyboard.press("ControlOrMeta+c")
    page.get_by_label("To approve, type").press("ControlOrMeta+v")
    expect(page.get_by_label("To approve, type")).to_have_value("25.00")
    page.get_by_label("To approve, type").fill("")
    page.get_by_label("Wrong amount").check()
    page.get_by_role("button", name="Reject").click()
    page.get_by_text("You rejected this. Nothing of it will be done.").wait_for()
    assert Decision.objects.get().decision == "reject"
