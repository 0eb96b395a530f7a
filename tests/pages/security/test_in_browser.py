"""Second factors at real screens: an app without a script, a passkey of a virtual device."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.models import Decision, Proposal, StepUp
from oversight.second_factor import factors
from tests.browser.reviewers import STILL_FOLDED
from tests.cast import PASSWORD, People
from tests.engine.test_step_up import guarded
from tests.pages.reading import address_of
from tests.pages.screens import Screen
from tests.phone import Phone, given_a_phone
from tests.world import Desk

pytestmark = pytest.mark.browser

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def with_a_device(screen: Screen) -> Any:
    """A device that makes and shows passkeys, as Chromium imitates it; gives the way to it."""
    devtools = screen.page.context.new_cdp_session(screen.page)
    devtools.send("WebAuthn.enable")
    made = devtools.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    return lambda **what: devtools.send("WebAuthn.setUserVerified", {**made, **what})


def approve(screen: Screen, *, scripts: bool = True) -> None:
    page = screen.page
    folded = page.locator(STILL_FOLDED)
    for left in reversed(range(folded.count() if scripts else 0)):
        page.get_by_role("button", name="Lead me there").click()
        page.keyboard.press("Enter")
        expect(folded).to_have_count(left)
    page.get_by_label("Within policy").check()
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("You approved this.").wait_for()


def test_an_app_is_added_and_shown_without_a_script(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    rosa = at_screen(people.rosa, by_form=True, java_script_enabled=False)
    page = rosa.open("/security/")
    page.get_by_role("link", name="Add an authenticator app").click()
    page.get_by_role("img", name="QR code").wait_for()
    phone = Phone("".join(page.locator(".enrol__secret code").all_inner_texts()))
    page.get_by_label("Code that the app shows now").fill(phone.code())
    page.get_by_role("button", name="Add it").click()
    page.get_by_role("button", name="Make ten codes").click()
    assert page.locator(".codes li").count() == 10
    page.get_by_role("link", name="I have them").click()

    desk.put_in_force(guarded())
    proposal = desk.propose_refund()
    page = rosa.open(address_of(proposal))
    assert page.get_by_role("button", name="Approve").is_disabled()
    page.get_by_role("link", name="Show a second factor").click()
    page.get_by_label("Code of your authenticator app").fill(phone.code())
    page.get_by_role("button", name="Use this code").click()
    assert Proposal.objects.get(pk=proposal.pk).status == "open"
    approve(rosa, scripts=False)

    assert StepUp.objects.get().factor == "totp"
    assert Decision.objects.get().step_up is not None


def test_a_passkey_is_made_shown_and_asked_for_at_the_door(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    rosa = at_screen(people.rosa, by_form=True)
    verified = with_a_device(rosa)
    page = rosa.open("/security/passkey/")
    assert rosa.is_fit_for_everybody()
    page.get_by_label("Name").fill("Laptop")
    page.get_by_role("button", name="Make the passkey").click()
    page.get_by_text("Your passkey is a second factor").wait_for()
    (made,) = factors.of(people.rosa.pk)
    assert (made.kind, made.name) == ("passkey", "Laptop")

    desk.put_in_force(guarded("passkey"))
    proposal = desk.propose_refund()
    page = rosa.open(address_of(proposal))
    assert rosa.is_fit_for_everybody()
    page.get_by_role("link", name="Show a passkey").click()
    page.get_by_role("button", name="Use a passkey").wait_for()
    assert rosa.is_fit_for_everybody()
    verified(isUserVerified=False)
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_text("The browser gave no passkey").wait_for()
    assert not StepUp.objects.exists()
    verified(isUserVerified=True)
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_text("counts for one approval of this").first.wait_for()
    assert rosa.is_fit_for_everybody()
    approve(rosa)
    assert StepUp.objects.get().factor == "passkey"

    page.context.clear_cookies()
    rosa.open("/sign-in/")
    page.get_by_label("Username").fill("rosa")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("heading", name="And your second factor").wait_for()
    assert rosa.is_fit_for_everybody()
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(lambda url: "/sign-in/" not in url)
    rosa.open("/security/")
    page.get_by_text("Laptop").first.wait_for()


def test_the_pages_are_fit_for_everybody_and_for_narrow_screens(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    rosa = at_screen(people.rosa, by_form=True, viewport={"width": 390, "height": 844})
    for address in ("/security/", "/security/app/", "/security/passkey/", "/security/confirm/"):
        rosa.open(address)
        assert rosa.is_fit_for_everybody(), address
        assert rosa.fits(), address
    given_a_phone(people.rosa)
    desk.put_in_force(guarded())
    (app,) = factors.of(people.rosa.pk)
    asked = f"{address_of(desk.propose_refund())}step-up/"
    places = ("/security/", "/security/confirm/", f"/security/{app.id}/remove/", asked)
    for address in (*places, "/security/recovery-codes/"):
        page = rosa.open(address)
        assert rosa.is_fit_for_everybody(), address
        assert rosa.fits(), address
    page.get_by_role("button", name="Make ten codes").click()
    page.get_by_text("never again").wait_for()
    assert rosa.is_fit_for_everybody()
    assert rosa.fits()
