"""From the password to the provider's button, at a real screen, in light and in dark."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from engine.models import Event
from tests.cast import People
from tests.faults.processes import Web
from tests.openid.visiting import NAME, Provider
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_somebody_links_their_account_and_comes_in_by_it(
    scripts: bool,
    desk: Desk,
    people: People,
    web_process: Callable[..., Web],
    chromium: Browser,
) -> None:
    with Provider.running() as provider:
        site = web_process(**provider.settings).url
        context = chromium.new_context(locale="en", java_script_enabled=scripts)
        rosa = Screen(context.new_page(), site)
        rosa.sign_in(people.rosa)
        page = rosa.open("/security/")
        assert not scripts or rosa.is_fit_for_everybody()
        page.get_by_role("button", name=f"Link {NAME}").click()
        page.get_by_label("Name").fill("rosa-17")
        page.get_by_role("button", name="Go on").click()
        page.get_by_text(f"From now on {NAME} signs you in here, too.").wait_for()
        page.get_by_text("rosa-17").wait_for()
        assert not scripts or rosa.is_fit_for_everybody()

        context.clear_cookies()
        page = rosa.open("/runs/")
        assert not scripts or rosa.is_fit_for_everybody()
        page.get_by_role("button", name=f"Sign in with {NAME}").click()
        page.get_by_role("button", name="Never mind").click()
        page.get_by_text("or you gave up there").wait_for()
        assert not scripts or (rosa.is_fit_for_everybody() and rosa.fits())
        page.get_by_role("button", name=f"Sign in with {NAME}").click()
        page.get_by_label("Name").fill("rosa-17")
        page.get_by_role("button", name="Go on").click()
        page.wait_for_url(f"{site}/runs/")
        elsewhere = f"asks for {provider.issuer}/"
        assert [said for said in rosa.heard if not said.startswith(elsewhere)] == []
        context.close()
    assert Event.objects.filter(kind="signed_in").count() == 2
