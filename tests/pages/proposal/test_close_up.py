"""Inbox and proposal at 400 % on a screen of 1280 by 1024, and with all that is hostile in them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.cast import People
from tests.pages.hostile import EVERYTHING, MARKUP, must_be_inert
from tests.pages.reading import address_of
from tests.pages.screens import Screen
from tests.world import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

AT_400 = {"width": 320, "height": 256}

IS_ON_TOP = """element => {
  element.scrollIntoView({ block: "center" });
  const r = element.getBoundingClientRect();
  const found = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
  return found !== null && (element === found || element.contains(found));
}"""


def can_be_pressed(button: "Locator") -> bool:
    """It is whole on the screen, and nothing lies over it."""
    on_top = bool(button.evaluate(IS_ON_TOP))
    box = button.bounding_box()
    return on_top and box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 320


def test_at_400_percent_nothing_is_cut_off_and_every_verdict_can_be_given(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    proposal = desk.propose_for_good()
    rosa = at_screen(people.rosa, viewport=AT_400)
    for address in ("/inbox/", address_of(proposal), f"{address_of(proposal)}edit/"):
        rosa.open(address)
        assert rosa.fits(), address
    page = rosa.open(address_of(proposal))
    for verdict in ("Reject", "Return with a question", "Approve"):
        assert can_be_pressed(page.get_by_role("button", name=verdict, exact=True)), verdict
    page.get_by_label("Wrong amount").check()
    page.get_by_role("button", name="Reject", exact=True).click()
    page.get_by_text("You rejected this. Nothing of it will be done.").wait_for()


def test_no_field_that_an_agent_writes_runs_breaks_out_or_calls(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    """A dialog, an error, a report of the content policy or a request to another host fails the
    test: see `Screen.heard`."""
    evidence = [EVERYTHING, {words: words for words in MARKUP}, MARKUP]
    order = desk.purchase(customer=EVERYTHING)
    proposal = desk.propose_refund(order, why=EVERYTHING, customer=EVERYTHING, evidence=evidence)
    rosa = at_screen(people.rosa)
    address, run = address_of(proposal), f"/runs/{proposal.run_id}/"
    for shown in (address, f"{address}edit/", "/inbox/", "/runs/", run, f"{run}?view=log"):
        must_be_inert(rosa.open(shown))
