"""From the invitation to the end of the last session, at real screens, in light and in dark."""

from collections.abc import Callable

import pytest

from tests.cast import People
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser


def test_somebody_is_invited_comes_and_is_shown_out(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    assert people.yara
    zoe, nina = at_screen(people.zoe), at_screen(people.ada)
    page = zoe.open("/people/invite/")
    assert zoe.is_fit_for_everybody()
    page.get_by_label("Name", exact=True).fill("Nina Roth")
    page.get_by_label("Mail address").fill("nina@example.org")
    page.get_by_label("Reviewer").check()
    page.get_by_role("button", name="Invite").click()
    link = page.locator(".people__link").inner_text()
    assert zoe.is_fit_for_everybody()

    nina.page.context.clear_cookies()
    nina.page.goto(link)
    assert nina.is_fit_for_everybody()
    nina.page.get_by_label("Name to sign in with").fill("nina")
    nina.page.get_by_label("Password").fill("lantern over the quiet bay")
    nina.page.get_by_label("The same again").fill("lantern over the quiet bay")
    nina.page.get_by_role("button", name="Make the account").click()
    nina.page.get_by_label("Username").fill("nina")
    nina.page.get_by_label("Password").fill("lantern over the quiet bay")
    nina.page.get_by_role("button", name="Sign in", exact=True).click()
    nina.page.wait_for_url("**/inbox/")

    page = zoe.open("/people/")
    assert zoe.is_fit_for_everybody()
    page.get_by_role("link", name="Nina Roth").click()
    assert zoe.is_fit_for_everybody()
    page.get_by_text("Close the account").first.click()
    closing = page.get_by_role("form", name="Close the account")
    closing.get_by_label("Reason").fill("It was only for a day.")
    closing.get_by_role("button", name="Close the account").click()
    page.get_by_text("all of their sessions are over").wait_for()
    # the page that is open asks what is new, and is shown out by itself
    nina.page.wait_for_url("**/sign-in/**")

    page.set_viewport_size({"width": 390, "height": 844})
    assert zoe.fits()
    zoe.open("/people/")
    assert zoe.fits()
