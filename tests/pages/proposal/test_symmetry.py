"""To say no, or to ask, never takes more than to say yes: neither keys nor clicks nor the way that
a pointer goes; and nothing but the approve button itself ever approves."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

from engine import api
from engine.models import Decision
from tests.cast import People, reviewer
from tests.pages.reading import address_of
from tests.pages.screens import STAND_STILL, Screen
from tests.world import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Request, Route

pytestmark = pytest.mark.browser

REJECT, RETURN, APPROVE = "Reject", "Return with a question", "Approve"
CODES = {REJECT: "Wrong amount", APPROVE: "Matches the evidence"}
VERDICTS = (REJECT, RETURN, APPROVE)
WORDS = "Why?"
WIDTHS = (1280, 900, 600, 390, 320)
MOST_STOPS = 150
A_HAIR = 0.5

FOCUSED = "element => element === document.activeElement"
BOX = (
    "element => { const r = element.getBoundingClientRect(); return [r.x, r.y, r.width, r.height] }"
)
COUNTS_CLICKS = """addEventListener("pointerdown", () => {
  sessionStorage.setItem("pressed", 1 + Number(sessionStorage.getItem("pressed")));
}, true)"""
WHERE = """() => {
  const at = document.activeElement;
  return [at.outerHTML.slice(0, 200), at.selectionStart ?? null, scrollX, scrollY,
          at.getBoundingClientRect().top];
}"""


def button(page: "Page", verdict: str) -> "Locator":
    return page.get_by_role("button", name=verdict, exact=True)


class Hand:
    """Somebody's hand at the keyboard; it counts what it presses."""

    def __init__(self, page: "Page") -> None:
        self.page, self.pressed = page, 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.pressed += 1

    def tab_to(self, wanted: "Locator") -> None:
        for _ in range(MOST_STOPS):
            if wanted.evaluate(FOCUSED):
                return
            self.press("Tab")
        pytest.fail(f"{wanted} is not reached by Tab")

    def give_code(self, label: str) -> None:
        """Enter the choices by Tab, and go down among them."""
        self.tab_to(self.page.locator("input[name=reason_code]").first)
        wanted = self.page.get_by_label(label, exact=True)
        if wanted.evaluate(FOCUSED):
            self.press("Space")
        while not wanted.is_checked():
            self.press("ArrowDown")

    def give_words(self) -> None:
        self.tab_to(self.page.get_by_label("In your own words"))
        self.press(*WORDS)

    def open_what_is_folded(self) -> None:
        self.tab_to(self.page.locator("details[data-fold] > summary"))
        self.press("Enter")


@pytest.fixture
def rosa(desk: Desk, people: People, at_screen: Callable[..., Screen]) -> Screen:
    return at_screen(people.rosa)


def keys_from_the_inbox(rosa: Screen, verdict: str, code: str | None) -> int:
    """How many keys it takes to decide the only proposal there is, from a fresh inbox."""
    page = rosa.open("/inbox/")
    hand = Hand(page)
    hand.tab_to(page.locator("[data-row] .table__open"))
    hand.press("Enter")
    button(page, REJECT).wait_for()
    page.wait_for_load_state()
    if verdict == APPROVE:
        hand.open_what_is_folded()
    hand.give_code(code) if code else hand.give_words()
    hand.tab_to(button(page, verdict))
    hand.press("Enter")
    page.get_by_role("heading", name="You have decided this").wait_for()
    return hand.pressed


def test_keys_from_the_inbox_to_the_decision(desk: Desk, rosa: Screen) -> None:
    cost = {}
    for verdict, code in [*CODES.items(), *((each, None) for each in VERDICTS)]:
        desk.propose_refund()
        cost[verdict, bool(code)] = keys_from_the_inbox(rosa, verdict, code)
    assert Decision.objects.count() == len(cost)
    assert cost[REJECT, True] <= cost[APPROVE, True], cost
    assert max(cost[REJECT, False], cost[RETURN, False]) <= cost[APPROVE, False], cost


def clicks_to(page: "Page", verdict: str) -> int:
    """How often the button of the mouse went down, from a fresh page to the decision."""
    page.wait_for_load_state()
    page.evaluate("sessionStorage.removeItem('pressed')")
    if verdict == APPROVE:
        page.locator("details[data-fold] > summary").click()
    page.get_by_label(CODES.get(verdict, "In your own words"), exact=True).click()
    if verdict == RETURN:
        page.keyboard.type(WORDS)
    button(page, verdict).click()
    page.get_by_role("heading", name="You have decided this").wait_for()
    return int(page.evaluate("sessionStorage.getItem('pressed')"))


def test_clicks_from_the_page_to_the_decision(desk: Desk, rosa: Screen) -> None:
    rosa.page.add_init_script(COUNTS_CLICKS)
    cost = {
        verdict: clicks_to(rosa.open(address_of(desk.propose_refund())), verdict)
        for verdict in VERDICTS
    }
    assert Decision.objects.count() == len(VERDICTS)
    assert max(cost[REJECT], cost[RETURN]) <= cost[APPROVE], cost


def test_within_the_bar_tab_comes_to_reject_first_and_to_approve_last(
    desk: Desk, rosa: Screen
) -> None:
    """Once everything was looked at, and for one and the same reason."""
    page = rosa.open(address_of(desk.propose_refund()))
    folded = page.locator("details[data-fold] > summary")
    folded.click()
    cost = {}
    for verdict in VERDICTS:
        folded.focus()
        hand = Hand(page)
        hand.give_code(CODES[APPROVE])
        hand.tab_to(button(page, verdict))
        cost[verdict] = hand.pressed
        page.locator("form.decision").evaluate("form => form.reset()")
    assert max(cost[REJECT], cost[RETURN]) < cost[APPROVE], cost


def way(page: "Page", verdict: str) -> float:
    """Pixels from the middle of the bar's upper edge to the reason and on to the button."""
    x, y, width, _ = page.locator("form.decision").evaluate(BOX)
    stations, length = [(x + width / 2, y)], 0.0
    if verdict in CODES:
        stations.append(middle(page.get_by_label(CODES[verdict], exact=True)))
    else:
        stations.append(middle(page.get_by_label("In your own words")))
    stations.append(middle(button(page, verdict)))
    for (x1, y1), (x2, y2) in pairwise(stations):
        length += hypot(x2 - x1, y2 - y1)
    return length


def middle(element: "Locator") -> tuple[float, float]:
    x, y, width, height = element.evaluate(BOX)
    return x + width / 2, y + height / 2


def in_both_schemes(rosa: Screen, address: str) -> Iterator["Page"]:
    for scheme in ("light", "dark"):
        rosa.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        yield rosa.open(address)


def test_no_button_is_smaller_or_farther_than_approve(desk: Desk, rosa: Screen) -> None:
    for page in in_both_schemes(rosa, address_of(desk.propose_refund())):
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate(STAND_STILL)  # nothing is measured on its way to another size
            sizes = {each: button(page, each).evaluate(BOX)[2:] for each in VERDICTS}
            for verdict in (REJECT, RETURN):
                for mine, approve in zip(sizes[verdict], sizes[APPROVE], strict=True):
                    assert mine >= approve - A_HAIR, (width, sizes)
                assert way(page, verdict) <= way(page, APPROVE) + A_HAIR, (width, verdict)


def test_nothing_is_chosen_and_nothing_has_the_focus(desk: Desk, rosa: Screen) -> None:
    for page in in_both_schemes(rosa, address_of(desk.propose_refund())):
        page.wait_for_load_state()
        assert page.evaluate("document.activeElement === document.body")
        assert page.locator("form.decision :checked").count() == 0
        assert page.get_by_label("In your own words").input_value() == ""


class Sent:
    """What a page would send, were it not kept here; the page stays where it is."""

    def __init__(self, page: "Page") -> None:
        self.decisions: list[str] = []
        page.route("**/*", self._keep)

    def _keep(self, route: "Route", request: "Request") -> None:
        if request.method == "POST":
            self.decisions += parse_qs(request.post_data or "").get("decision", [])
        if request.is_navigation_request():
            route.fulfill(status=204)
        else:
            route.continue_()


def stops(page: "Page") -> Iterator[str]:
    """Every place that Tab comes to, once around."""
    first = None
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        at = page.evaluate("document.activeElement.outerHTML.slice(0, 300)")
        if at == first:
            return
        first = first or at
        yield at
        page.evaluate("document.querySelectorAll('form').forEach(f => delete f.dataset.sent)")
    pytest.fail("Tab does not come round")


def test_neither_enter_nor_escape_approves_but_enter_on_the_button_itself(
    desk: Desk, rosa: Screen
) -> None:
    page = rosa.open(address_of(desk.propose_refund()))
    page.locator("details[data-fold] > summary").click()
    page.get_by_label("Within policy").check()
    sent = Sent(page)
    seen = []
    for at in stops(page):
        seen.append(at)
        if 'value="approve"' not in at:
            page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        assert "approve" not in sent.decisions, at
    assert any('value="approve"' in at for at in seen), "the way led over the button, too"
    button(page, APPROVE).focus()
    page.keyboard.press("Escape")
    assert "approve" not in sent.decisions
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.keyboard.press("Enter")
    assert sent.decisions[-1] == "approve"
    assert not Decision.objects.exists()


def test_nothing_that_somebody_else_does_moves_focus_caret_or_page(
    desk: Desk, people: People, rosa: Screen
) -> None:
    nina = people.somebody("nina", "reviewer", full_name="Nina Roth")
    proposal = desk.propose_refund()
    rosa.page.set_viewport_size({"width": 1280, "height": 600})
    page = rosa.open(address_of(proposal))
    page.get_by_label("In your own words").fill("I think so")
    page.get_by_label("In your own words").evaluate("field => field.setSelectionRange(3, 3)")
    page.evaluate("scrollBy(0, 120)")
    before = page.evaluate(WHERE)
    api.claim(proposal.run_id, proposal.pk, reviewer=reviewer(nina))
    page.locator("#claim-words").get_by_text("Nina Roth").wait_for()
    assert page.evaluate(WHERE) == before, "she has claimed it"
    api.look_again(proposal.run_id, proposal.pk, reviewer=reviewer(nina))
    desk.work(proposal.run_id)
    page.get_by_text("All of it holds.").wait_for()
    assert page.evaluate(WHERE) == before, "she has had the premises read again"
    desk.decide(proposal, "reject", by=nina)
    page.get_by_text("Nina Roth has decided this").wait_for()
    assert page.evaluate(WHERE) == before, "she has decided it"


def test_a_newcomer_moves_nothing_in_the_inbox(desk: Desk, rosa: Screen) -> None:
    for _ in range(8):
        desk.propose_refund()
    rosa.page.set_viewport_size({"width": 1280, "height": 600})
    page = rosa.open("/inbox/")
    page.locator("[data-row] .table__open").nth(5).focus()
    page.evaluate("scrollTo(0, 150)")
    before = page.evaluate(WHERE)
    desk.propose_refund()
    page.locator(".news__hint").wait_for(state="attached")
    assert page.evaluate(WHERE) == before


def test_the_inbox_approves_nothing(desk: Desk, rosa: Screen) -> None:
    desk.propose_refund()
    page = rosa.open("/inbox/")
    assert page.locator("[value=approve], [name=decision]").count() == 0
    sent = Sent(page)
    for _ in stops(page):
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
    assert sent.decisions == []
