"""The rollback plans on a real screen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.cast import People
from tests.pages.alerts.trouble import stuck_rollback, wrong_refund
from tests.pages.screens import Screen
from tests.world import Desk

pytestmark = pytest.mark.browser


def test_from_the_plans_to_what_was_taken_back(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    wrong_refund(desk)
    stuck_rollback(desk)
    otto = at_screen(people.otto)
    page = otto.open("/")
    page.get_by_role("link", name="Rollback plans").click()
    expect(page.get_by_role("heading", name="Rollback plans")).to_be_visible()
    assert otto.is_fit_for_everybody()

    page.get_by_role("link", name="Inverse 2").click()
    expect(page.get_by_role("row")).to_have_count(3)
    page.get_by_role("link", name="Refund an order").click()
    expect(page.get_by_role("heading", name="Refund an order")).to_be_visible()
    expect(page.get_by_role("complementary", name="In practice")).to_contain_text("Rolled back")
    assert otto.is_fit_for_everybody()

    page.get_by_role("link", name="ledger.reverse_refund v1").click()
    expect(page.get_by_text("It is itself the way back from")).to_be_visible()
    assert otto.heard == []


def test_it_fits_a_narrow_screen(
    desk: Desk, people: People, at_screen: Callable[..., Screen]
) -> None:
    stuck_rollback(desk)
    otto = at_screen(people.otto, viewport={"width": 390, "height": 844})
    for address in (
        "/rollbacks/",
        "/rollbacks/ledger.refund/1/",
        "/rollbacks/shop.write_config/1/",
    ):
        otto.open(address)
        assert otto.fits(), address
        assert otto.is_fit_for_everybody()
