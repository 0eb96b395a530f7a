"""An operator takes an alert on, puts it right, lets the run go on, and says that it is done."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from engine.models import Alert
from tests.cast import People
from tests.pages.alerts.trouble import address_of, dealt_with, stuck_rollback, taken_on
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser

Sit = Callable[..., Screen]


def test_from_the_list_to_the_end_of_it(desk: Desk, people: People, at_screen: Sit) -> None:
    alert = stuck_rollback(desk)
    otto = at_screen(people.otto, timezone_id="America/New_York")
    page = otto.open("/")
    page.get_by_role("link", name="Alerts 2").click()
    page.get_by_role("heading", name="Alerts").wait_for()
    assert otto.is_fit_for_everybody()
    page.get_by_role("link", name="After the rollback the target still differs.").click()
    page.get_by_text("Nobody answers for it yet.").wait_for()
    page.get_by_text("Stands: its rollback is not done").wait_for()
    assert otto.is_fit_for_everybody()

    page.get_by_label("Cause").fill("A fee that nobody knew of.")
    page.get_by_label("Next step").fill("Put the order right in the ledger.")
    year = datetime.now(UTC).year + 1
    page.get_by_label("Until").fill(f"{year}-07-01T12:00")
    page.get_by_label("Until").press("Enter")
    assert Alert.objects.get(pk=alert.pk).status == "open", "Enter answers for nothing"
    page.get_by_role("button", name="Acknowledge").click()
    page.get_by_text("You answer for this now.").wait_for()
    assert Alert.objects.get(pk=alert.pk).due_at == datetime(year, 7, 1, 16, tzinfo=UTC)
    assert otto.is_fit_for_everybody()

    page.get_by_label("Reason").fill("The order is right now.")
    page.get_by_role("button", name="Let it go on").click()
    page.get_by_text("The run goes on as soon as a worker is free.").wait_for()
    desk.work(alert.run_id)
    page.get_by_text("Taken back, and verified").wait_for()

    page.get_by_label("How it was dealt with").fill("Put right by hand, and read again.")
    page.get_by_role("button", name="Resolve").click()
    page.get_by_text("It is dealt with, and stays in the history.").wait_for()
    assert otto.is_fit_for_everybody()
    otto.open("/alerts/?show=resolved")
    page.get_by_text("Put right by hand, and read again.").wait_for()
    assert otto.is_fit_for_everybody()


def test_what_happens_meanwhile_is_said_and_takes_nothing_from_the_hand(
    desk: Desk, people: People, at_screen: Sit
) -> None:
    alert = stuck_rollback(desk)
    nils = people.somebody("nils", "operator", full_name="Nils Berg")
    page = at_screen(people.otto).open(address_of(alert))
    cause = page.get_by_label("Cause")
    cause.fill("I think")
    place = cause.bounding_box()
    taken_on(alert, nils)
    page.get_by_text("Nils Berg has taken this on").wait_for()
    assert cause.bounding_box() == place, "nothing moves"
    page.keyboard.type(" so")
    assert cause.input_value() == "I think so"
    dealt_with(alert, nils)
    page.get_by_text("Nils Berg has dealt with this").wait_for()


def test_it_works_without_any_script(desk: Desk, people: People, at_screen: Sit) -> None:
    alert = stuck_rollback(desk)
    page = at_screen(people.otto, java_script_enabled=False).open(address_of(alert))
    page.get_by_label("Cause").fill("A fee.")
    page.get_by_label("Next step").fill("Look.")
    page.get_by_label("Until").fill(f"{datetime.now(UTC).year + 1}-07-01T12:00")
    assert page.get_by_text("In the zone UTC.").is_visible()
    page.get_by_role("button", name="Acknowledge").click()
    page.get_by_text("You answer for this now.").wait_for()
    assert Alert.objects.get(pk=alert.pk).due_at.hour == 12


def test_it_fits_a_narrow_screen(desk: Desk, people: People, at_screen: Sit) -> None:
    alert = stuck_rollback(desk, {"refunded": "2" * 200})
    otto = at_screen(people.otto, viewport={"width": 390, "height": 844})
    for address in ("/alerts/", address_of(alert), "/alerts/?show=acknowledged"):
        otto.open(address)
        assert otto.fits(), address
        assert otto.is_fit_for_everybody()
