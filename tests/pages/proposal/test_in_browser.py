"""The decision in a real browser: what the keyboard, the folds and the live part do to it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from engine.models import Decision, Proposal
from tests.cast import PASSWORD, People
from tests.faults.processes import Web
from tests.pages.reading import address_of
from tests.world import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


class Rosa:
    """Rosa at her screen; `heard` are dialogs, errors and refusals of the content policy."""

    def __init__(self, page: "Page", site: str) -> None:
        self.page, self.site = page, site
        self.heard: list[str] = []
        page.on("dialog", lambda dialog: self.heard.append(dialog.message))
        page.on("pageerror", lambda error: self.heard.append(str(error)))
        page.on("console", lambda said: self._note(said.type, said.text))

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.heard.append(text)

    def sign_in(self, username: str) -> None:
        self.page.goto(f"{self.site}/sign-in/")
        self.page.get_by_label("Username").fill(username)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in", exact=True).click()
        self.page.wait_for_url("**/inbox/")

    def open(self, proposal: Proposal) -> "Page":
        self.page.goto(f"{self.site}{address_of(proposal)}")
        return self.page


@pytest.fixture
def rosa_with(
    desk: Desk, people: People, web_process: Callable[..., Web], chromium: "Browser"
) -> Iterator[Callable[[bool], Rosa]]:
    """Rosa, signed in, in a browser with or without scripts."""
    people.rosa  # noqa: B018 - she is made when first spoken of
    site, contexts = web_process().url, []

    def sit_down(scripts: bool) -> Rosa:
        context = chromium.new_context(locale="en", java_script_enabled=scripts)
        contexts.append(context)
        reader = Rosa(context.new_page(), site)
        reader.sign_in("rosa")
        return reader

    yield sit_down
    for context in contexts:
        context.close()


@pytest.fixture
def rosa(rosa_with: Callable[[bool], Rosa]) -> Rosa:
    return rosa_with(True)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_enter_decides_nothing_but_on_a_button(
    desk: Desk, rosa_with: Callable[[bool], Rosa], scripts: bool
) -> None:
    rosa = rosa_with(scripts)
    sent: list[str] = []
    page = rosa.open(desk.propose_refund())
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    chip, words = page.get_by_label("Within policy"), page.get_by_label("In your own words")
    chip.check()
    for field in (chip, words, chip):
        field.press("Enter")
        field.press("Escape")
    assert sent == []
    words.fill("It is not as it says.")
    page.get_by_role("button", name="Reject").press("Enter")
    page.get_by_role("heading", name="You have decided this").wait_for()
    assert [decision.decision for decision in Decision.objects.all()] == ["reject"]


def test_approve_waits_until_every_folded_part_was_opened(desk: Desk, rosa: Rosa) -> None:
    customer = "\n".join(f"line {number}" for number in range(80))
    proposal = desk.propose_refund(customer="Mara", evidence=[customer])
    page = rosa.open(proposal)
    approve = page.get_by_role("button", name="Approve", exact=True)
    assert approve.is_disabled()
    assert page.get_by_role("button", name="Reject").is_enabled()
    assert page.get_by_text("Open every folded part before you approve.").is_visible()
    page.get_by_text("Written by the agent").click()
    assert approve.is_disabled(), "the long evidence inside is folded still"
    page.get_by_role("button", name="Lead me there").click()
    page.keyboard.press("Enter")
    assert approve.is_enabled()
    page.get_by_label("Matches the evidence").check()
    approve.click()
    page.get_by_role("heading", name="You have decided this").wait_for()
    assert Decision.objects.get().decision == "approve"
    assert rosa.heard == []


def test_rejecting_takes_a_reason_and_one_click(desk: Desk, rosa: Rosa) -> None:
    page = rosa.open(desk.propose_refund())
    page.get_by_label("Wrong amount").check()
    page.get_by_role("button", name="Reject").click()
    page.get_by_text("You rejected this. Nothing of it will be done.").wait_for()
    assert Decision.objects.get().reason_code == "wrong_amount"


def test_what_happens_meanwhile_is_said_and_takes_nothing_from_the_hand(
    desk: Desk, people: People, rosa: Rosa
) -> None:
    nina = people.somebody("nina", "reviewer", full_name="Nina Roth")
    proposal = desk.propose_refund()
    page = rosa.open(proposal)
    words = page.get_by_label("In your own words")
    words.fill("I think")
    form = page.locator("form.decision").element_handle()
    assert form is not None
    desk.decide(proposal, "reject", by=nina)
    page.get_by_text("Nina Roth has decided this").wait_for(timeout=15_000)
    page.keyboard.type(" so")
    assert words.input_value() == "I think so"
    assert form.evaluate("form => form.isConnected"), "the form is the very same"
    assert page.locator("#live-status").count() == 1
    assert rosa.heard == []


def test_nothing_that_an_agent_writes_runs_or_calls_out(desk: Desk, rosa: Rosa) -> None:
    asked: list[str] = []
    rosa.page.on("request", lambda request: asked.append(request.url))
    proposal = desk.propose_refund(
        desk.purchase(customer=HOSTILE), why=HOSTILE, evidence=[HOSTILE, {HOSTILE: HOSTILE}]
    )
    for address in (
        address_of(proposal),
        "/inbox/",
        f"/runs/{proposal.run_id}/",
        f"/runs/{proposal.run_id}/?view=log",
    ):
        rosa.page.goto(f"{rosa.site}{address}")
        rosa.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert rosa.page.locator("img[src=x], script:not([src])").count() == 0
    assert rosa.heard == []
    assert [url for url in asked if not url.startswith(rosa.site)] == []


def test_the_whole_page_works_without_any_script(
    desk: Desk, rosa_with: Callable[[bool], Rosa]
) -> None:
    page = rosa_with(False).open(desk.propose_refund(why="Because it broke."))
    assert page.get_by_text("Because it broke.").is_visible(), "nothing is folded"
    page.get_by_label("Within policy").check()
    page.get_by_role("button", name="Approve", exact=True).click()
    page.get_by_role("heading", name="You have decided this").wait_for()
    assert Decision.objects.get().decision == "approve"


def approve(page: "Page", *, folded: bool) -> None:
    """Look at what a script has folded, and press the button."""
    if folded:
        page.get_by_text("Written by the agent").click()
    page.get_by_role("button", name="Approve", exact=True).click()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_what_cannot_be_taken_back_is_approved_by_typing_its_amount(
    desk: Desk, rosa_with: Callable[[bool], Rosa], scripts: bool
) -> None:
    rosa = rosa_with(scripts)
    sent: list[str] = []
    page = rosa.open(desk.propose_for_good(amount="25.00"))
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    typed = page.get_by_label("To approve, type 25.00")
    page.get_by_label("Within policy").check()
    typed.fill("25.00")
    typed.press("Enter")
    assert sent == [], "Enter approves nothing, not even with the right value"

    typed.fill("52.00")
    approve(page, folded=scripts)
    page.get_by_text("This is not the value above. Nothing was approved.").wait_for()
    assert not Decision.objects.exists()
    assert typed.input_value() == "52.00"
    assert page.get_by_label("Within policy").is_checked()

    typed.fill("25.00")
    approve(page, folded=scripts)
    page.get_by_role("heading", name="You have decided this").wait_for()
    assert Decision.objects.get().decision == "approve"
    assert [heard for heard in rosa.heard if "422" not in heard] == []


def test_the_value_can_be_copied_and_rejecting_needs_none(desk: Desk, rosa: Rosa) -> None:
    page = rosa.open(desk.propose_for_good(amount="25.00"))
    # with all of the field in view: else its focus, which the first click gives it, scrolls there
    page.get_by_role("button", name="Approve").scroll_into_view_if_needed()
    page.locator(".proposal__value").dblclick()
    page.keyboard.press("ControlOrMeta+c")
    page.get_by_label("To approve, type").press("ControlOrMeta+v")
    expect(page.get_by_label("To approve, type")).to_have_value("25.00")
    page.get_by_label("To approve, type").fill("")
    page.get_by_label("Wrong amount").check()
    page.get_by_role("button", name="Reject").click()
    page.get_by_text("You rejected this. Nothing of it will be done.").wait_for()
    assert Decision.objects.get().decision == "reject"
    assert rosa.heard == []
