"""An operator finds an unknown effect, has its target asked, and rules."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from engine.models import Effect
from tests.cast import People
from tests.pages.screens import Screen
from tests.pages.unknowns.doubt import address_of, in_doubt, landed_in_doubt, no_more_calls
from tests.world import Desk

pytestmark = pytest.mark.browser

Sit = Callable[..., Screen]


def posts(screen: Screen) -> list[str]:
    """Every POST from now on."""
    sent: list[str] = []
    screen.page.on("request", lambda it: it.method == "POST" and sent.append(it.url))
    return sent


def test_the_answer_of_the_target_arrives_while_the_page_is_looked_at(
    desk: Desk, people: People, at_screen: Sit
) -> None:
    effect = landed_in_doubt(desk)
    otto = at_screen(people.otto)
    page = otto.open("/")
    page.get_by_role("link", name="Unknown effects 1").click()
    page.get_by_role("heading", name="Unknown effects").wait_for()
    assert otto.is_fit_for_everybody()
    page.get_by_role("link", name="Refund 25.00 to Mara Vogel for order A-1").click()
    page.get_by_text("Nobody can tell yet whether this happened.").wait_for()
    assert otto.is_fit_for_everybody()
    page.get_by_role("button", name="Ask the target again").click()
    page.get_by_text("What it finds appears here.").wait_for()
    ruling = page.get_by_role("heading", name="Your ruling")
    place = ruling.bounding_box()
    desk.work(effect.run_id)
    page.get_by_text("Asked by key: it had happened").wait_for()
    page.get_by_text("It was settled while you were reading").wait_for()
    assert ruling.bounding_box() == place, "nothing moves"
    page.get_by_role("link", name="Show it as it is now").click()
    page.get_by_role("heading", name="There is nothing left to rule").wait_for()
    assert otto.is_fit_for_everybody()
    page.get_by_role("link", name="Back to the unknown effects").click()
    page.get_by_role("heading", name="Nothing is in doubt").wait_for()
    assert otto.is_fit_for_everybody()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_ruling_takes_a_choice_its_evidence_and_one_click(
    desk: Desk, people: People, at_screen: Sit, scripts: bool
) -> None:
    effect = landed_in_doubt(desk)
    otto = at_screen(people.otto, java_script_enabled=scripts)
    page = otto.open(address_of(effect))
    evidence, resource = (
        page.get_by_role("textbox", name="Evidence"),
        page.get_by_label("Resource at the target"),
    )
    assert not evidence.is_visible(), "nothing is asked before something is said"
    page.get_by_label("It happened in part").check()
    assert resource.is_visible()
    page.get_by_label("Keep waiting", exact=True).check()
    assert not evidence.is_visible()
    assert page.get_by_label("Keep waiting until").is_visible()
    page.get_by_label("It happened", exact=True).check()
    evidence.fill("The journal shows it.")
    resource.fill("A-1")
    sent = posts(otto)
    for field in (resource, page.get_by_label("It happened", exact=True)):
        field.press("Enter")
    assert sent == []
    page.get_by_label("Reason").fill("I read it there.")
    page.get_by_role("button", name="Record this ruling").click()
    page.get_by_text("Otto Weiss has ruled: it happened.").wait_for()
    assert Effect.objects.get().status == "succeeded"


def test_what_is_missing_is_said_and_what_was_typed_is_there_still(
    desk: Desk, people: People, at_screen: Sit
) -> None:
    otto = at_screen(people.otto)
    page = otto.open(address_of(landed_in_doubt(desk)))
    page.get_by_label("It happened", exact=True).check()
    page.get_by_role("textbox", name="Evidence").fill("The journal shows it.")
    page.get_by_label("Reason").fill("I read it there.")
    page.get_by_role("button", name="Record this ruling").click()
    page.get_by_text("Name the resource, so that it can be read again.").wait_for()
    assert page.get_by_role("textbox", name="Evidence").input_value() == "The journal shows it."
    assert otto.is_fit_for_everybody()
    otto.forgives(422)


def test_the_choice_that_comes_too_early_waits_and_what_is_typed_stays(
    desk: Desk, people: People, at_screen: Sit
) -> None:
    effect = in_doubt(desk)
    desk.database.execute("UPDATE engine_effect SET call_deadline = now() + interval '1 hour'")
    page = at_screen(people.otto).open(address_of(effect))
    denied = page.get_by_label("It did not happen")
    assert denied.is_disabled()
    page.get_by_text("Possible from").wait_for()
    page.get_by_label("Reason").fill("I am about to look")
    no_more_calls(desk, effect)
    page.locator("input[value=did_not_happen]:enabled").wait_for()
    assert page.get_by_label("Reason").input_value() == "I am about to look"
    denied.check()
    page.get_by_role("textbox", name="Evidence").fill("The journal has no such line.")
    page.get_by_role("button", name="Record this ruling").click()
    page.get_by_text("Otto Weiss has ruled: it did not happen.").wait_for()
    assert Effect.objects.get().status == "failed"


def test_a_time_is_typed_where_one_is(desk: Desk, people: People, at_screen: Sit) -> None:
    effect = in_doubt(desk)
    page = at_screen(people.otto, timezone_id="America/New_York").open(address_of(effect))
    page.get_by_label("Keep waiting", exact=True).check()
    assert page.get_by_text("In the zone America/New_York.").is_visible()
    year = datetime.now(UTC).year + 1
    page.get_by_label("Keep waiting until").fill(f"{year}-07-01T12:00")
    page.get_by_label("Reason").fill("The ledger is under repair.")
    page.get_by_role("button", name="Record this ruling").click()
    page.get_by_text("Otto Weiss ruled to keep waiting until").wait_for()
    assert page.get_by_text(f"1 Jul {year}, 12:00").first.is_visible()
    assert desk.run(effect.run_id).wake_at == datetime(year, 7, 1, 16, tzinfo=UTC)


def test_it_fits_a_narrow_screen(desk: Desk, people: People, at_screen: Sit) -> None:
    effect = in_doubt(desk, customer="Mara" * 30)
    otto = at_screen(people.otto, viewport={"width": 390, "height": 844})
    for address in ("/unknowns/", address_of(effect), "/unknowns/?show=settled"):
        otto.open(address)
        assert otto.fits(), address
        assert otto.is_fit_for_everybody()
