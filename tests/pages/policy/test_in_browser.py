"""A change of the policy by two people at real screens, one of them without a script."""

from collections.abc import Callable

import pytest

from engine.models import Policy
from tests.cast import People
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser


def test_one_writes_without_a_script_and_another_puts_it_in_force(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    assert people.rosa
    people.reviewers(1)
    desk.propose_refund()
    zoe = at_screen(people.zoe, java_script_enabled=False)
    page = zoe.open("/policy/")
    page.get_by_role("link", name="Propose a change").click()
    page.get_by_role("button", name="Add a rule at the top").click()
    first = page.get_by_role("group", name="Rule 1")
    first.get_by_label("Action").fill("ledger.*")
    first.get_by_label("Risk", exact=True).select_option("At medium risk")
    first.get_by_label("How many have to approve").first.fill("2")
    first.get_by_label("Group").first.select_option("reviewer")
    page.get_by_role("button", name="See what it would change").click()
    page.get_by_text("1 of 1 open proposal").wait_for()
    page.get_by_label("Why").fill("Refunds went out on one word.")
    page.get_by_role("button", name="Propose", exact=True).click()
    page.get_by_text("Somebody else has to put it in force.").wait_for()

    yara = at_screen(people.yara)
    page = yara.open("/policy/")
    assert yara.is_fit_for_everybody()
    page.get_by_role("link", name="Read version 2 and answer").click()
    page.get_by_role("heading", name="What it would mean now").wait_for()
    assert yara.is_fit_for_everybody()
    page.get_by_label("Reason").fill("Agreed.")
    page.get_by_label("Reason").press("Tab")
    page.get_by_role("button", name="Put in force").click()
    page.get_by_text("Version 2 is in force.").wait_for()
    assert Policy.objects.get(status="in_force").version == 2
    assert yara.is_fit_for_everybody()


def test_the_form_and_its_preview_are_fit_for_everybody_and_for_narrow_screens(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    assert people.rosa
    desk.put_in_force({"action": "mail.*", "groups": [{"name": "reviewer", "approve": 1}]})
    zoe = at_screen(people.zoe, viewport={"width": 390, "height": 844})
    page = zoe.open("/policy/propose/")
    page.get_by_label("Time to think").first.fill("soon")
    page.get_by_role("button", name="See what it would change").click()
    page.get_by_text("Write a number and a unit").wait_for()
    zoe.forgives(422)
    assert zoe.is_fit_for_everybody()
    assert zoe.fits()
    page.get_by_label("Time to think").first.fill("1 h")
    page.get_by_label("Time to think").first.press("Enter")
    page.get_by_role("button", name="See what it would change").click()
    page.get_by_role("heading", name="What it would change").wait_for()
    assert zoe.is_fit_for_everybody()
    assert zoe.fits()
    for address in ("/policy/", "/policy/2/"):
        zoe.open(address)
        assert zoe.fits(), address
