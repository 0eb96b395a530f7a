"""The inbox at real screens: by the keyboard alone, without scripts, and by two people at once."""

from collections.abc import Callable

import pytest

from engine.models import Claim, Proposal
from tests.cast import People
from tests.pages.reading import address_of
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser


def test_a_claim_is_taken_over_under_the_eyes_of_who_had_it(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    proposal = desk.propose_refund()
    mina = people.somebody("mina", "reviewer", full_name="Mina Roth")
    rosa, other = at_screen(people.rosa), at_screen(mina)
    page = rosa.open("/inbox/")
    page.get_by_role("button", name="Claim").click()
    page.get_by_text("You, runs out").wait_for()
    assert rosa.is_fit_for_everybody()
    assert rosa.fits()
    page = rosa.open(address_of(proposal))
    page.get_by_text("You have claimed this.").wait_for()

    theirs = other.open("/inbox/?show=claimed")
    theirs.get_by_text("Rosa Lind, runs out").wait_for()
    theirs.get_by_role("button", name="Take over").click()
    theirs.get_by_text("You took the claim over").wait_for()

    page.locator("#proposal-news").get_by_text("Mina Roth took your claim over").wait_for()
    page.get_by_role("button", name="Approve", exact=True).wait_for()
    assert rosa.is_fit_for_everybody()
    page = rosa.open("/inbox/")
    page.get_by_text("Mina Roth took your claim over").wait_for()
    assert rosa.is_fit_for_everybody()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_several_are_rejected_in_two_steps(
    desk: Desk, people: People, at_screen: Callable[..., Screen], scripts: bool
) -> None:
    first, second = desk.propose_refund(), desk.propose_refund()
    rosa = at_screen(people.rosa, java_script_enabled=scripts)
    page = rosa.open("/inbox/")
    for box in page.get_by_role("checkbox", name="Choose Refund").all():
        box.check()
    page.get_by_role("button", name="Reject what is chosen").click()
    page.get_by_role("heading", name="Reject 2 proposals").wait_for()
    if scripts:
        assert rosa.is_fit_for_everybody()
    page.get_by_label("In your own words").fill("One batch too many.")
    page.get_by_role("button", name="Reject 2 proposals").click()
    page.get_by_role("heading", name="2 of 2 rejected").wait_for()
    if scripts:
        assert rosa.is_fit_for_everybody()
    for proposal in (first, second):
        assert Proposal.objects.get(pk=proposal.pk).status == "rejected"


def test_by_the_keyboard_alone_and_no_key_decides(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    first, second = desk.propose_refund(), desk.propose_refund()
    rosa = at_screen(people.rosa)
    page = rosa.open("/inbox/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    page.get_by_text("You, runs out").wait_for()
    assert Claim.objects.get().proposal == second

    page.keyboard.press("j")
    page.keyboard.press("r")
    page.wait_for_url(f"**{address_of(first)}#reject")
    focused = page.locator("[data-key=r]:focus")
    focused.wait_for()
    assert focused.inner_text() == "Reject"
    page.keyboard.press("Escape")
    assert {each.status for each in Proposal.objects.all()} == {"open"}


def test_the_keys_can_be_switched_off_and_stay_off(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    desk.propose_refund()
    rosa = at_screen(people.rosa)
    page = rosa.open("/inbox/")
    page.keyboard.press("?")
    page.get_by_label("Use single-letter keys").uncheck()
    page.get_by_role("button", name="Close").click()
    page = rosa.open("/inbox/")
    page.keyboard.press("j")
    assert page.locator(".table__open:focus").count() == 0


def test_filters_work_without_a_script(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    refund, _other = desk.propose_refund(), desk.propose_for_good()
    rosa = at_screen(people.rosa, java_script_enabled=False)
    page = rosa.open("/inbox/")
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Action", exact=True).fill("ledger.refund")
    page.get_by_role("button", name="Show what matches").click()
    page.get_by_role("link", name="take this filter away").wait_for()
    assert page.locator(".table__open").count() == 1
    page.get_by_role("link", name="take this filter away").first.click()
    page.wait_for_url("**/inbox/**")
    assert refund.pk
