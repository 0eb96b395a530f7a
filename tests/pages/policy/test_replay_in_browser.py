"""A replay at a real screen, wide and narrow, in light and in dark."""

from collections.abc import Callable

import pytest

from engine import api
from tests.cast import People, reviewer
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser


def test_it_is_led_to_and_fit_for_everybody_and_for_narrow_screens(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    assert people.rosa
    people.somebody("tessa", "treasurer")
    for _ in range(3):
        desk.approved_refund()
    for _ in range(2):
        desk.decide(desk.propose_refund(), "reject")
    desk.approve(desk.propose_for_good())
    pair = [{"name": "reviewer", "approve": 1}, {"name": "treasurer", "approve": 1}]
    rules = [
        {"action": "ledger.refund", "groups": pair},
        {"action": "*", "groups": pair[:1], "wait_seconds": 3600},
    ]
    number = api.propose_policy(rules, administrator=reviewer(people.zoe), reason="To see.")
    yara = at_screen(people.yara)
    page = yara.open(f"/policy/{number}/")
    page.get_by_role("link", name="Replay the last 90 days").click()
    page.get_by_role("heading", name="4 of 6 proposals").wait_for()
    assert yara.is_fit_for_everybody()
    narrow = at_screen(people.zoe, viewport={"width": 390, "height": 844})
    narrow.open(f"/policy/{number}/replay/")
    assert narrow.fits()
