"""Editing, asking for a look, and a stale page, in a real browser."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import pytest

from engine.models import Proposal
from tests.cast import People
from tests.pages.reading import address_of
from tests.pages.screens import Screen
from tests.world import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_an_edit_is_written_and_asked_anew(
    desk: Desk, people: People, at_screen: Callable[..., Screen], scripts: bool
) -> None:
    proposal = desk.propose_refund()
    rosa = at_screen(people.rosa, java_script_enabled=scripts)
    page = rosa.open(address_of(proposal))
    page.get_by_role("link", name="Edit the arguments instead").click()
    page.get_by_label("amount", exact=True).fill("20.00")
    page.get_by_label("Why you edit it").fill("It cost less.")
    page.get_by_role("button", name="Ask it anew").click()
    page.get_by_role("heading", name="Rosa Lind edited this").wait_for()
    desk.work(proposal.run_id)
    assert desk.proposal(proposal.run_id).version == 2


def test_the_form_and_what_came_of_it_are_fit_for_everybody(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    first = edited(desk, people, at_screen)
    nina = at_screen(people.somebody("nina", "reviewer", full_name="Nina Roth"))
    page = nina.open(address_of(desk.proposal(first.run_id)))
    page.get_by_role("heading", name="What Rosa Lind edited").wait_for()
    assert nina.is_fit_for_everybody()
    page.set_viewport_size({"width": 320, "height": 640})  # 1280 at 400 %
    assert nina.fits()


def edited(desk: Desk, people: People, at_screen: Callable[..., Screen]) -> Proposal:
    proposal = desk.propose_refund()
    rosa = at_screen(people.rosa)
    page = rosa.open(f"{address_of(proposal)}edit/")
    picture(page, "edit")
    assert rosa.is_fit_for_everybody()
    page.set_viewport_size({"width": 320, "height": 640})
    assert rosa.fits()
    page.get_by_label("amount", exact=True).fill("20.00")
    page.get_by_label("Why you edit it").fill("It cost less.")
    page.get_by_role("button", name="Ask it anew").click()
    page.get_by_role("heading", name="Rosa Lind edited this").wait_for()
    desk.work(proposal.run_id)
    return proposal


def test_a_look_at_the_premises_comes_to_the_page_by_itself(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    proposal = desk.propose_refund()
    rosa = at_screen(people.rosa)
    page = rosa.open(address_of(proposal))
    page.get_by_label("In your own words").fill("I am still writing")
    page.get_by_role("button", name="Look again now").click()
    page.get_by_text("Asked; a worker looks.").wait_for()
    desk.work(proposal.run_id)
    page.get_by_text("All of it holds.").wait_for()
    assert page.get_by_label("In your own words").input_value() == "I am still writing"


def test_a_stale_page_is_told_what_was_edited(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    nina = at_screen(people.somebody("nina", "reviewer", full_name="Nina Roth"))
    proposal = desk.propose_refund()
    page = nina.open(address_of(proposal))
    rosa = at_screen(people.rosa).open(f"{address_of(proposal)}edit/")
    rosa.get_by_label("amount", exact=True).fill("20.00")
    rosa.get_by_label("Why you edit it").fill("It cost less.")
    rosa.get_by_role("button", name="Ask it anew").click()
    rosa.get_by_role("heading", name="Rosa Lind edited this").wait_for()
    desk.work(proposal.run_id)
    page.get_by_label("Not needed").check()
    page.get_by_role("button", name="Reject").click()
    page.get_by_role("heading", name="There is a newer version of this proposal").wait_for()
    assert {"25.00", "20.00"} <= set(page.inner_text("main").split())
    assert nina.is_fit_for_everybody()
    page.get_by_role("link", name="See where it stands now").click()
    page.get_by_role("heading", name="What Rosa Lind edited").wait_for()


def test_a_kept_page_is_shown_to_who_audits(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    proposal = desk.propose_refund()
    page = at_screen(people.rosa).open(address_of(proposal))
    page.get_by_label("Not needed").check()
    page.get_by_role("button", name="Reject").click()
    page.get_by_role("heading", name="You have decided this").wait_for()
    ada = at_screen(people.ada)
    page = ada.open(address_of(proposal))
    page.get_by_role("link", name="what was seen").click()
    page.get_by_role("heading", name="What Rosa Lind saw").wait_for()
    assert ada.is_fit_for_everybody()
    picture(page, "seen")
    page.get_by_role("link", name="Show it").click()
    page.get_by_role("heading", name="Facts").wait_for()
    picture(page, "seen-page")


def picture(page: "Page", name: str) -> None:
    """Light and dark, into the folder PICTURES, to be looked at; none without one."""
    if folder := os.environ.get("PICTURES"):
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=f"{folder}/{name}-{scheme}.png", full_page=True)
