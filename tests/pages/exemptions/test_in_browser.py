"""One exemption from its proposal to its end, at real screens."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from engine import approval
from engine.models import Exemption
from tests.cast import People
from tests.engine.exempting import NEVER_DRAWN, asked
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser


def test_it_is_proposed_given_by_two_used_seen_and_ended(
    desk: Desk,
    people: People,
    at_screen: Callable[..., Screen],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(approval, "lot", lambda: NEVER_DRAWN)
    two, one = people.rosa, people.somebody("mina", "reviewer", full_name="Mina Holt")
    desk.put_in_force({"action": "ledger.*", "groups": [{"name": "reviewer", "approve": 2}]})
    desk.propose_refund()

    zoe = at_screen(people.zoe)
    page = zoe.open("/policy/")
    page.get_by_role("link", name="See the standing exemptions").click()
    page.get_by_text("Nothing is exempt").wait_for()
    assert zoe.is_fit_for_everybody()
    page.get_by_role("link", name="Propose one").click()
    page.get_by_label("Action").select_option("ledger.refund")
    page.get_by_label("Agent").fill("refund-desk")
    page.get_by_label("Name of the argument").fill("customer")
    page.get_by_label("Text").fill("Mara Vogel")
    page.get_by_label("Argument with a most").fill("amount")
    page.get_by_label("The most that it may be").fill("30.00")
    page.get_by_label("Uses").fill("5")
    soon = datetime.now(UTC) + timedelta(days=7)
    page.get_by_label("Its end").fill(soon.strftime("%Y-%m-%dT%H:%M"))
    page.get_by_label("Why").fill("The same every day.")
    assert zoe.is_fit_for_everybody()
    page.get_by_role("button", name="Propose it").click()
    page.get_by_text("It waits for those who decide").wait_for()
    address = page.url.removeprefix(zoe.site)

    for person, told in ((one, "others have to be heard"), (two, "It stands now.")):
        reviewer = at_screen(person, viewport={"width": 390, "height": 844})
        page = reviewer.open(address)
        page.get_by_role("heading", name="Your approval, beforehand").wait_for()
        assert reviewer.is_fit_for_everybody()
        assert reviewer.fits()
        approving = page.get_by_role("form", name="Your approval, beforehand")
        approving.get_by_label("Reason").fill("They are all alike.")
        approving.get_by_role("button", name="Approve it").click()
        page.get_by_text(told).first.wait_for()

    desk.work(asked(desk))
    page = reviewer.open("/inbox/?show=decided")
    page.get_by_text("by standing exemption").wait_for()
    assert reviewer.is_fit_for_everybody()
    page.get_by_role("link", name="by standing exemption").click()
    page.get_by_text("4 left").wait_for()
    page.get_by_role("cell", name="let through").wait_for()
    ending = page.get_by_role("form", name="End it")
    ending.get_by_label("Reason").fill("Somebody should look again.")
    ending.get_by_role("button", name="End it now").click()
    page.get_by_text("somebody ended it").first.wait_for()
    assert reviewer.is_fit_for_everybody()
    assert reviewer.fits()
    assert Exemption.objects.get().status == "ended"
