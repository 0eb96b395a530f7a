"""Somebody at a real screen: what they see, what their browser complains of, what axe finds."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from oversight.models import Person
from tests.cast import PASSWORD
from tests.faults.processes import Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


class Screen:
    """Signed in at a browser of one's own; `heard` are dialogs, errors and refused contents."""

    def __init__(self, page: "Page", site: str) -> None:
        self.page, self.site = page, site
        self.heard: list[str] = []
        page.on("dialog", lambda dialog: self.heard.append(dialog.message))
        page.on("pageerror", lambda error: self.heard.append(str(error)))
        page.on("console", lambda said: said.type == "error" and self.heard.append(said.text))

    def sign_in(self, person: Person) -> None:
        self.open("/sign-in/")
        self.page.get_by_label("Username").fill(person.username)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in", exact=True).click()
        self.page.wait_for_url(lambda url: "/sign-in/" not in url)

    def open(self, address: str) -> "Page":
        self.page.goto(f"{self.site}{address}")
        return self.page

    def must_be_fit_for_everybody(self) -> None:
        """Axe finds nothing against WCAG 2.2 A and AA, in light and in dark."""
        for scheme in ("dark", "light"):
            self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            self.page.evaluate("Promise.all(document.getAnimations().map(one => one.finished))")
            found = Axe().run(self.page, options=RULES)
            assert found.violations_count == 0, found.generate_report()

    def fits(self) -> bool:
        """Nothing has to be scrolled to from side to side."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.fixture
def at_screen(
    web_process: Callable[..., Web], chromium: "Browser"
) -> Iterator[Callable[..., Screen]]:
    """`at_screen(people.ada)` is Ada at hers; what is named besides is how the browser is."""
    site, contexts, screens = web_process().url, [], []

    def sit_down(person: Person, **wishes: Any) -> Screen:
        context = chromium.new_context(**{"locale": "en", "timezone_id": "UTC", **wishes})
        contexts.append(context)
        screens.append(Screen(context.new_page(), site))
        screens[-1].sign_in(person)
        return screens[-1]

    yield sit_down
    for context in contexts:
        context.close()
    assert [screen.heard for screen in screens if screen.heard] == []
