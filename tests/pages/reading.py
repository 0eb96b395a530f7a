"""Somebody who reads pages: what they ask for, what they are shown, and what they post."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.utils.html import strip_tags

from engine.models import Proposal
from oversight.models import Person
from tests.world import Database

TABLES = (
    "engine_run",
    "engine_event",
    "engine_checkpoint",
    "engine_proposal",
    "engine_decision",
    "engine_exemption",
    "engine_voice",
    "engine_claim",
    "engine_effect",
    "engine_alert",
    "engine_evidence",
    "engine_policy",
    "engine_qualification",
    "oversight_invitation",
    "engine_stop",
)


def contents(database: Database) -> dict[str, str]:
    """What every table of the engine holds, as one hash each."""
    return {
        table: database.value(
            f"SELECT md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) FROM {table} t"  # noqa: S608 - the names are those above
        )
        for table in TABLES
    }


class Reader:
    """One browser. Every page that it is given comes as `Page`."""

    def __init__(self, person: Person | None = None) -> None:
        self.client = Client(SERVER_NAME="localhost")
        if person is not None:
            self.client.force_login(person)

    def get(self, address: str, **query: Any) -> "Page":
        return Page(self.client.get(address, query))

    def poll(self, address: str, **query: Any) -> "Page":
        """As htmx asks."""
        headers = {"HX-Request": "true", "HX-Current-URL": "http://localhost/inbox/"}
        return Page(self.client.get(address, query, headers=headers))

    def post(self, address: str, **fields: Any) -> "Page":
        return Page(self.client.post(address, fields))

    def decide(self, proposal: Proposal, decision: str, **changed: Any) -> "Page":
        """Open the page of a proposal and press one of its buttons, a reason given, and what is
        asked for to approve typed.

        `changed` are fields with other values than the page gave; None leaves a field out.
        """
        page = self.get(address_of(proposal))
        typed = page.asked_for if decision == "approve" else None
        fields: dict[str, Any] = {"decision": decision, "reason": "Seen.", "challenge": typed}
        fields = page.form | fields | changed
        sent = {name: value for name, value in fields.items() if value is not None}
        return self.post(f"{address_of(proposal)}decide/", **sent)


class Readers:
    """Makes readers; strangers without a person."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def __call__(self, person: Person | None = None) -> Reader:
        return Reader(person)


class Page:
    """An answer of the server, as its reader sees it."""

    def __init__(self, response: HttpResponse) -> None:
        self.response = response
        self.status = response.status_code
        self.html = response.content.decode()

    @property
    def text(self) -> str:
        """What is read: without tags, with every run of blanks as one."""
        body = self.html.partition("<body>")[2] or self.html
        return re.sub(r"\s+", " ", unescape(strip_tags(body)))

    @property
    def form(self) -> dict[str, str]:
        """The hidden fields of the decision, as the page gave them."""
        fields = elements(self.html, "input")
        return {
            field["name"]: field.get("value", "")
            for field in fields
            if field.get("type") == "hidden" and field["name"] != "csrfmiddlewaretoken"
        }

    @property
    def asked_for(self) -> str | None:
        """What the page asks to be typed to approve, as it is shown there."""
        found = re.search(r'class="proposal__value">(.*?)</label>', self.html)
        return unescape(strip_tags(found[1])) if found else None

    def attribute(self, name: str) -> str:
        """The value of an attribute that one element of the page has."""
        found = re.findall(rf'{name}="([^"]*)"', self.html)
        assert len(found) == 1, f"{name}: {found}"
        return unescape(found[0])


class _Elements(HTMLParser):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self.found = name, []  # type: ignore[var-annotated]

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == self.name:
            self.found.append(dict(attrs))


def elements(html: str, name: str) -> list[dict[str, str]]:
    """The attributes of every element of that name, in the order of the page."""
    parser = _Elements(name)
    parser.feed(html)
    return parser.found


def address_of(proposal: Proposal) -> str:
    return f"/proposals/{proposal.proposal_id}/{proposal.version}/"
