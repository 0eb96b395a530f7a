"""What somebody does with the form of the rules: all that a browser without scripts would send."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

from tests.pages.reading import Page, Reader

PROPOSE = "/policy/propose/"


def words(page: Page) -> str:
    """What is read in the middle of a page, each element apart from the next."""
    middle = page.html.partition("<main")[2].partition(">")[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", middle)))


class _Fields(HTMLParser):
    """What a form would send now: every control with its value, as a browser reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._select = self._text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        told = dict(attrs)
        name = told.get("name", "")
        if tag == "input" and name and name != "csrfmiddlewaretoken":
            if told.get("type") != "checkbox":
                self.found[name] = told.get("value", "")
            elif "checked" in told:
                self.found[name] = "on"
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and "selected" in told:
            self.found[self._select] = told.get("value", "")
        elif tag == "textarea":
            self._text = name
            self.found[name] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("select", "textarea"):
            self._select = self._text = ""

    def handle_data(self, data: str) -> None:
        if self._text:
            self.found[self._text] += data.removeprefix("\n")


def fields(page: Page) -> dict[str, str]:
    parser = _Fields()
    parser.feed(page.html.partition("<main")[2].partition("</main>")[0])
    return parser.found


class Writer:
    """An administrator at the form: `press` sends what the page holds, with what was changed."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.page = reader.get(PROPOSE)

    def press(self, do: str, **changed: Any) -> Page:
        """A field that is None is left out; `rule_0_action` is `rule-0-action`."""
        named = {name.replace("_", "-", 2): value for name, value in changed.items()}
        sent = {**fields(self.page), **named, "do": do}
        kept = {name: value for name, value in sent.items() if value is not None}
        self.page = self.reader.post(PROPOSE, **kept)
        return self.page

    def errors(self) -> dict[str, str]:
        """What is said to be wrong, by the field that it stands at."""
        found: dict[str, str] = {}
        for piece in self.page.html.split('<ul class="errorlist"')[1:]:
            told = piece.partition("</ul>")[0]
            field = told.partition('id="id_')[2].partition('_error"')[0]
            found[field] = told.partition("<li>")[2].partition("</li>")[0]
        return found


def proposed(reader: Reader, reason: str = "We have learned something.", **changed: Any) -> int:
    """Two of the reviewers for every ledger.*, unless said otherwise; gives the version."""
    writer = Writer(reader)
    writer.press("add")
    usual = {"rule_0_action": "ledger.*", "rule_0_group0": "reviewer", "rule_0_approve0": "2"}
    preview = writer.press("preview", **{**usual, **changed})
    assert preview.status == 200, writer.errors()
    answer = writer.press("propose", reason=reason)
    assert answer.status == 302, answer.text
    return int(answer.response.headers["Location"].split("/")[-2])
