"""Refunds from the agent's wish to the money in the ledger: the demo's processes, a real browser.

Each test is about a claim of its own; the agent has all four in hand from the start.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from oversight.embedded.guardian import is_alive
from tests.browser.reviewers import Person
from tests.embedded.test_supervisor import Demo

pytestmark = pytest.mark.browser

PLAIN, CRASHED, REJECTED, RETURNED = "N-20417", "N-20431", "N-20438", "N-20470"
"""Orders, each with one of the agent's first four claims."""


def test_an_approved_refund_is_carried_out_verified_and_committed(rosa: Person) -> None:
    rosa.open(PLAIN)
    approve = rosa.page.get_by_role("button", name="Approve", exact=True)
    expect(approve).to_be_disabled()
    rosa.look_at_all_of_it()
    expect(rosa.page.get_by_text("keeps the rest of the order")).to_be_visible()
    rosa.approve()
    rosa.see("Executed", "Recorded", "Verified", "Committed")
    expect(rosa.page.locator("#standing header")).to_contain_text("Committed")
    expect(rosa.row_of_the_ledger(PLAIN).get_by_role("cell").nth(2)).to_have_text("39.00")


def test_a_worker_killed_between_execute_and_record_pays_once(demo: Demo, rosa: Person) -> None:
    demo.press("c\n")
    armed = demo.child.wait_for(r"Worker (\d+) will be killed between execute and record", 30)[1]
    rosa.open(CRASHED)
    rosa.approve()
    line = rf"Worker {armed} killed between execute and record; new worker (\d+) takes over"
    successor = int(demo.child.wait_for(line, 45)[1])
    assert not is_alive(int(armed))
    assert is_alive(successor)
    rosa.see("Executed", "Recorded", "Verified", "Committed")
    row = rosa.row_of_the_ledger(CRASHED).get_by_role("cell")
    expect(row.nth(2)).to_have_text("164.50")
    expect(row.last).to_have_text("1")


def test_a_rejected_refund_moves_nothing(rosa: Person) -> None:
    rosa.open(REJECTED)
    rosa.decide("Reject", reason="Too little evidence")
    expect(rosa.page.get_by_text("You rejected this. Nothing of it will be done.")).to_be_visible()
    expect(rosa.page.locator("#standing header")).to_contain_text("Rejected")
    expect(rosa.row_of_the_ledger(REJECTED).get_by_role("cell").last).to_have_text("0")


def test_a_question_is_answered_with_a_second_version(rosa: Person) -> None:
    rosa.open(RETURNED, "489.00")
    rosa.decide("Return with a question", words="The mail asks for a tenth. Why all of it?")
    expect(rosa.page.get_by_text("The agent is sent your question.")).to_be_visible()
    rosa.open(RETURNED, "version 2", "48.90")
    expect(rosa.page.get_by_role("heading", name="from the version before")).to_be_visible()
    rosa.look_at_all_of_it()
    expect(rosa.page.get_by_text("You asked: The mail asks for a tenth.").first).to_be_visible()


def test_who_owns_the_agent_sees_why_he_may_not_decide(
    sign_in: Callable[[str], Person], rosa: Person
) -> None:
    address = rosa.find_in_inbox(RETURNED).get_by_role("link").get_attribute("href")
    tomas = sign_in("Tomas Berg")
    tomas.page.goto("/inbox/")
    expect(tomas.page.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    tomas.page.goto(str(address))
    bar = tomas.page.get_by_role("complementary", name="Your decision")
    expect(bar.get_by_role("heading", name="You may not decide this")).to_be_visible()
    expect(bar).to_contain_text("Who started it never decides it")
    expect(tomas.page.get_by_role("button", name="Approve")).to_have_count(0)
