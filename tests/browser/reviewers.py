"""People of the demo at their screens: what they do there, in their own words."""

import re
from typing import TYPE_CHECKING

from playwright.sync_api import Locator, Page, expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PACE = {"PLACET_AGENT_PAUSE": "0.2", "PLACET_SHOP_PAUSE": "3600", "PLACET_LEASE_SECONDS": "4"}
"""The demo's settings here: its agent is busy, nobody but Placet moves the desk's money, and a
dead worker's lease is short."""

PATIENCE_MILLISECONDS = 45_000
"""How long a page may take to show what other processes are about to do."""

STILL_FOLDED = "details[data-fold]:not([open]), .is-folded"


class Person:
    """Somebody of the cast, signed in with one click, in a browser of their own.

    `heard` are the errors of the page: of its scripts, and refusals of the content policy.
    """

    def __init__(self, chromium: "Browser", site: str, name: str) -> None:
        context = chromium.new_context(base_url=site, locale="en", timezone_id="Europe/Vienna")
        self.page: Page = context.new_page()
        self.heard: list[str] = []
        self.page.on("pageerror", lambda error: self.heard.append(str(error)))
        self.page.on("console", lambda said: self._note(said.type, said.text))
        self.page.goto("/")
        self.page.get_by_role("button", name=name).click()
        expect(self.page.get_by_role("heading", level=1)).to_be_visible()

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.heard.append(text)

    def leave(self) -> None:
        self.page.context.close()

    def find_in_inbox(self, *words: str) -> Locator:
        """The row about all of these words, as soon as the inbox has one."""
        self.page.goto("/inbox/")
        row, news = self.page.locator("[data-row]"), self.page.locator(".news__hint")
        for each in words:
            row = row.filter(has_text=each)
        while not row.is_visible():
            expect(row.or_(news).first).to_be_visible(timeout=PATIENCE_MILLISECONDS)
            if not row.is_visible():
                news.click()
        return row

    def open(self, *words: str) -> None:
        """The proposal about these words, from the inbox."""
        self.find_in_inbox(*words).get_by_role("link").click()
        expect(self.page.get_by_role("heading", level=1)).to_contain_text(words[0])

    def look_at_all_of_it(self) -> None:
        """Open one folded part after the other, by the keyboard, until none is left."""
        # What folds it has run once the page has loaded.
        self.page.wait_for_load_state()
        folded = self.page.locator(STILL_FOLDED)
        for left in reversed(range(folded.count())):
            self.page.get_by_role("button", name="Lead me there").click()
            self.page.keyboard.press("Enter")
            expect(folded).to_have_count(left)

    def decide(self, button: str, *, reason: str = "", words: str = "") -> None:
        if reason:
            self.page.get_by_label(reason).check()
        if words:
            self.page.get_by_label("In your own words").fill(words)
        if button == "Approve":
            self.type_what_is_asked_for()
        self.page.get_by_role("button", name=button, exact=True).click()

    def type_what_is_asked_for(self) -> None:
        """The operative value, where the page wants it before it approves."""
        asked = self.page.locator(".proposal__value")
        if asked.count():
            self.page.get_by_label("To approve, type").fill(asked.inner_text())

    def approve(self, reason: str = "Matches the evidence") -> None:
        """Look, choose a reason, and approve."""
        self.look_at_all_of_it()
        self.decide("Approve", reason=reason)
        expect(self.page.get_by_role("heading", name="You have decided this")).to_be_visible()

    def station(self, word: str) -> Locator:
        """One station of the effect's way, on the page of its proposal."""
        return (
            self.page.locator("#standing .stations")
            .first.get_by_role("listitem")
            .filter(has_text=re.compile(rf"{word}:"))
        )

    def see(self, *stations: str) -> None:
        """The page that lies open comes to show that the effect has passed these stations."""
        for word in stations:
            expect(self.station(word)).to_contain_text("done", timeout=PATIENCE_MILLISECONDS)

    def row_of_the_ledger(self, order: str) -> Locator:
        """What the page of the world says of an order; its last cell counts the movements."""
        self.page.goto("/demo/world/")
        orders = self.page.get_by_role("region", name="Orders")
        return orders.get_by_role("row").filter(has_text=order)
