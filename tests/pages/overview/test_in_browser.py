"""The overview on a real screen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.cast import People
from tests.pages.alerts.trouble import stuck_rollback
from tests.pages.screens import Screen
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Desk

pytestmark = pytest.mark.browser


def test_what_comes_is_shown_and_what_is_counted_is_led_to(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    otto = at_screen(people.otto)
    page = otto.open("/")
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    assert otto.is_fit_for_everybody()
    tile = page.locator(".tile").filter(has_text="Open proposals")
    expect(tile.locator(".tile__count")).to_have_text("0")

    desk.propose_refund()
    expect(tile.locator(".tile__count")).to_have_text("1", timeout=15_000)
    expect(page.locator("#live-status")).to_contain_text("1 open proposal")
    in_doubt(desk)
    stuck_rollback(desk)
    expect(page.get_by_role("link", name="1 Unknown effects")).to_be_visible(timeout=15_000)
    assert otto.is_fit_for_everybody()

    otto.open("/overview/")
    page.get_by_text("The numbers").first.click()
    expect(page.get_by_role("table", name="Time to decide")).to_be_visible()
    assert otto.is_fit_for_everybody()
    tile.get_by_role("link", name="1 Medium").click()
    expect(page.get_by_role("heading", name="Open proposals")).to_be_visible()
    assert otto.is_fit_for_everybody()
    assert otto.heard == []


def test_it_fits_a_narrow_screen(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    in_doubt(desk)
    stuck_rollback(desk)
    desk.propose_refund()
    otto = at_screen(people.otto, viewport={"width": 390, "height": 844})
    for address in ("/overview/", "/overview/proposals/"):
        otto.open(address)
        assert otto.fits(), address
        assert otto.is_fit_for_everybody()


def test_on_a_narrow_screen_the_places_are_behind_one_button_of_the_header(
    people: People, at_screen: Callable[..., Screen]
) -> None:
    otto = at_screen(people.otto, viewport={"width": 320, "height": 256})
    page = otto.open("/overview/")
    places = page.get_by_role("navigation", name="Main")
    expect(places).to_be_hidden()
    page.get_by_role("button", name="Places").press("Enter")
    expect(places.get_by_role("link", name="Audit")).to_be_visible()
    assert otto.fits()
    assert otto.is_fit_for_everybody()
    page.keyboard.press("Escape")
    expect(places).to_be_hidden()
    expect(page.get_by_role("button", name="Places")).to_be_focused()
    page.keyboard.press("Enter")
    places.get_by_role("link", name="Audit").click()
    expect(page.get_by_role("heading", name="Audit")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(places).to_be_visible()
    expect(page.locator(".rail__open")).to_be_hidden()
