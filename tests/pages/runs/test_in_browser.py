"""The runs on a real screen, in light and in dark, wide and narrow."""

import uuid
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.cast import People
from tests.pages.screens import Screen
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Desk

pytestmark = pytest.mark.browser


@pytest.fixture
def doubtful(desk: Desk) -> uuid.UUID:
    """A run that is paused because nobody can tell whether its effect happened."""
    run_id: uuid.UUID = in_doubt(desk).run_id
    return run_id


def test_from_the_paused_runs_to_what_has_to_be_ruled_upon(
    people: People, at_screen: Callable[..., Screen], doubtful: uuid.UUID
) -> None:
    otto = at_screen(people.otto)
    page = otto.open("/runs/?show=paused")
    page.get_by_role("navigation", name="Why they are paused").get_by_role(
        "link", name="Effect unknown 1"
    ).click()
    expect(page).to_have_url(f"{otto.site}/runs/?show=paused&reason=effect_unknown")
    assert otto.is_fit_for_everybody()

    page.get_by_role("row").nth(1).get_by_role("link").click()
    expect(page.get_by_role("navigation", name="Ways to look at this run")).to_be_visible()
    assert otto.is_fit_for_everybody()
    page.get_by_role("link", name="event 3", exact=True).click()
    expect(page.get_by_text("Event 3 of")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Find out what happened").click()
    expect(page.get_by_role("heading", name="Your ruling")).to_be_visible()


def test_it_fits_a_narrow_screen(
    people: People, at_screen: Callable[..., Screen], doubtful: uuid.UUID
) -> None:
    otto = at_screen(people.otto, viewport={"width": 390, "height": 844})
    for address in (
        "/runs/",
        "/runs/?show=paused",
        f"/runs/{doubtful}/",
        f"/runs/{doubtful}/?view=log",
    ):
        otto.open(address)
        assert otto.fits(), address
        assert otto.is_fit_for_everybody()
