"""Inbox and proposal at 400 % on a screen of 1280 by 1024, and with all that is hostile in them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.cast import People
from tests.pages.proposal.test_hostile_text import HIDDEN, MARKUP
from tests.pages.reading import address_of
from tests.pages.screens import Screen
from tests.world import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

AT_400 = {"width": 320, "height": 256}
HOSTILE = [*MARKUP, *(f"to{character}Mara" for character in HIDDEN.values())]

IS_ON_TOP = """element => {
  element.scrollIntoView({ block: "center" });
  const r = element.getBoundingClientRect();
  const found = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
  return found !== null && (element === found || element.contains(found));
}"""
THEIRS = (
    "img[src=x], svg[onload], script:not([src]), [href*=evil], [action*=evil], [hx-get='/evil']"
)
"""What would be on the page if any of it were taken for markup."""


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
    """A dialog, an error or a report of the content policy fails the test: see `Screen.heard`."""
    everything = " ".join(HOSTILE)
    evidence = [*HOSTILE, {words: words for words in MARKUP}, MARKUP]
    order = desk.purchase(customer=everything)
    proposal = desk.propose_refund(order, why=everything, customer=everything, evidence=evidence)
    rosa, asked = at_screen(people.rosa), list[str]()
    rosa.page.on("request", lambda request: asked.append(request.url))
    address, run = address_of(proposal), f"/runs/{proposal.run_id}/"
    for shown in (address, f"{address}edit/", "/inbox/", "/runs/", run, f"{run}?view=log"):
        page = rosa.open(shown)
        page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
        assert page.locator("main").count() == 1, shown
        assert page.locator(THEIRS).count() == 0, shown
    assert [url for url in asked if not url.startswith(rosa.site)] == []
