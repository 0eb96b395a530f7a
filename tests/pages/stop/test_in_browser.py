"""An operator stops everything while a real worker is at a call, watches it end, and goes on."""

from collections.abc import Callable

import pytest

from engine.models import Stop
from tests.cast import People
from tests.faults.processes import Worker
from tests.pages.screens import Screen
from tests.pages.stop.held import Held
from tests.world import Desk

pytestmark = pytest.mark.browser

Sit = Callable[..., Screen]


def test_from_the_header_of_any_page_to_the_safe_state_and_on(
    desk: Desk, people: People, at_screen: Sit, worker_process: Callable[..., Worker]
) -> None:
    otto = at_screen(people.otto)
    page = otto.open("/")
    page.get_by_role("link", name="Stop", exact=True).click()
    page.get_by_role("heading", name="Nothing is stopped").wait_for()
    assert otto.is_fit_for_everybody()
    held = Held(desk, worker_process, at="executed", PLACET_LEASE_SECONDS="120")

    page.get_by_label("Reason").fill("The journal shows payments that nobody knows of.")
    page.get_by_label("They wait, too").press("Enter")
    assert Stop.objects.count() == 0, "Enter stops nothing"
    page.get_by_label("They wait, too").check()
    page.get_by_role("button", name="Place the stop").click()
    page.get_by_text("Everything is stopped. Nothing new begins.").wait_for()
    page.get_by_text("A call is still under way: not safe yet.").wait_for()
    page.get_by_role("link", name="1 stop in force").wait_for()
    assert otto.is_fit_for_everybody()

    held.let_go()
    page.get_by_text("s after the stop: no call is under way any more.").wait_for()
    assert page.locator(".state", has_text="Done").first.is_visible()

    page.get_by_label("Reason").fill("It was explained.")
    page.get_by_role("button", name="Ask to lift the stop").click()
    page.get_by_text("Otto Weiss asks that everything go on").wait_for()
    assert otto.is_fit_for_everybody()
    zoe = at_screen(people.zoe)
    zoe.open("/stop/").get_by_label("Reason").fill("I looked, too.")
    assert zoe.is_fit_for_everybody()
    zoe.page.get_by_role("button", name="Agree, and lift the stop").click()
    page.get_by_role("heading", name="Nothing is stopped").wait_for()
    page.get_by_role("link", name="The journal shows payments that nobody knows of.").click()
    page.get_by_role("heading", name="Halt receipt").wait_for()
    assert otto.is_fit_for_everybody()


def test_a_stop_that_somebody_else_places_is_said_and_takes_nothing_from_the_hand(
    people: People, at_screen: Sit
) -> None:
    otto, zoe = at_screen(people.otto), at_screen(people.zoe)
    mine = otto.open("/stop/").get_by_label("Reason")
    mine.fill("I think")
    place = mine.bounding_box()
    page = zoe.open("/stop/")
    page.get_by_label("Reason").fill("A drill.")
    page.get_by_label("They run").check()
    page.get_by_role("button", name="Place the stop").click()
    otto.page.get_by_text("Zoe Hall has stopped everything").wait_for()
    assert mine.bounding_box() == place, "nothing moves"
    otto.page.keyboard.type(" so")
    assert mine.input_value() == "I think so"


def test_it_works_without_any_script_and_on_a_narrow_screen(people: People, at_screen: Sit) -> None:
    narrow = {"width": 390, "height": 844}
    otto = at_screen(people.otto, java_script_enabled=False, viewport=narrow)
    page = otto.open("/stop/")
    page.get_by_label("Reason").fill("A drill.")
    page.get_by_label("They run").check()
    page.get_by_role("button", name="Place the stop").click()
    page.get_by_role("heading", name="Everything is stopped").wait_for()
    page.get_by_label("Reason").fill("It was one.")
    page.get_by_role("button", name="Ask to lift the stop").click()
    page.get_by_text("You have asked.").wait_for()
    assert otto.fits()
    other = at_screen(people.zoe, viewport=narrow)
    other.open("/stop/")
    assert other.fits()
    assert other.is_fit_for_everybody()
