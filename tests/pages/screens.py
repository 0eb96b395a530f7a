"""People at real screens: what they see, what their browser complains of, what axe does."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from django.conf import settings
from django.test import Client

from oversight.models import Person
from tests.cast import PASSWORD
from tests.faults.processes import Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE_MILLISECONDS = 20_000

STAND_STILL = """
() => {
  const still = new CSSStyleSheet();
  const nothing = "transition: none !important; animation: none !important";
  still.replaceSync(`*, ::before, ::after { ${nothing} }`);
  document.adoptedStyleSheets = [still];
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
}
"""
"""No colour is measured on its way to another, not even in what a live update brings meanwhile."""

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "resultTypes": ["violations"],  # what is in order need not be told element by element
}


class Screen:
    """Somebody signed in at a browser of their own; `heard` are dialogs, errors, refusals, and what
    was asked of any other host."""

    def __init__(self, page: "Page", site: str) -> None:
        self.page, self.site = page, site
        self.heard: list[str] = []
        self._meant = {409}
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.on("dialog", lambda dialog: self.heard.append(dialog.message))
        page.on("pageerror", lambda error: self.heard.append(str(error)))
        page.on("console", lambda said: self._note(said.type, said.text))
        page.on("request", lambda request: self._asks(request.url))

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not self._is_meant(text):
            self.heard.append(text)

    def _asks(self, url: str) -> None:
        if not url.startswith((f"{self.site}/", "blob:")):
            self.heard.append(f"asks for {url}")

    def _is_meant(self, text: str) -> bool:
        """The browser speaks of a status, htmx of a code."""
        return any(re.search(rf"(status of|Code) {status}\b", text) for status in self._meant)

    def forgives(self, status: int) -> None:
        """A browser complains of every refusal; those of this status are meant."""
        self._meant.add(status)
        self.heard = [said for said in self.heard if not self._is_meant(said)]

    def come_in(self, person: Person) -> None:
        """As somebody who has signed in already: with their session, and no form to fill."""
        client = Client()
        client.force_login(person)
        session = client.cookies[settings.SESSION_COOKIE_NAME]
        cookie = {"name": session.key, "value": session.value, "url": self.site}
        self.page.context.add_cookies([cookie])  # type: ignore[list-item]

    def sign_in(self, person: Person) -> None:
        self.page.goto(f"{self.site}/sign-in/")
        self.page.get_by_label("Username").fill(person.username)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in", exact=True).click()
        self.page.wait_for_url(lambda url: "/sign-in/" not in url)

    def open(self, address: str) -> "Page":
        self.page.goto(f"{self.site}{address}")
        return self.page

    def is_fit_for_everybody(self) -> bool:
        """Axe finds nothing against WCAG 2.2 A and AA, in light and in dark."""
        self.page.evaluate(AXE_SCRIPT)
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            self.page.evaluate(STAND_STILL)
            found = AxeResults(self.page.evaluate("rules => axe.run(rules)", RULES))
            assert found.violations_count == 0, found.generate_report()
        self.page.emulate_media(color_scheme="light")
        return True

    def fits(self) -> bool:
        """Nothing has to be scrolled to from side to side, however narrow the screen."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.fixture
def at_screen(
    web_process: Callable[..., Web], chromium: "Browser"
) -> Iterator[Callable[..., Screen]]:
    """`at_screen(people.otto)` is Otto at his; what is named besides is how the browser is.

    He has signed in before, unless he does so `by_form`.
    """
    site, contexts, screens = web_process().url, [], []

    def sit_down(person: Person, *, by_form: bool = False, **wishes: Any) -> Screen:
        usual = {"locale": "en", "timezone_id": "UTC", "reduced_motion": "reduce"}
        context = chromium.new_context(**{**usual, **wishes})
        contexts.append(context)
        screens.append(Screen(context.new_page(), site))
        screens[-1].sign_in(person) if by_form else screens[-1].come_in(person)
        return screens[-1]

    yield sit_down
    for context in contexts:
        context.close()
    heard = [said for screen in screens for said in screen.heard]
    assert heard == [], heard
