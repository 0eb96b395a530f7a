"""What went wrong elsewhere with links that decide: a scanner, a prefetch or a preview follows
them all, before or after the person does. That no route writes by GET is held by `test_matrix`."""

import re
from html import unescape
from itertools import product
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest
from django.conf import settings
from django.test import Client

from engine.models import Proposal
from tests.pages.everywhere import Everywhere
from tests.pages.reading import Reader, address_of, contents, elements
from tests.world import Desk

SITE = "http://localhost"
LEADING = re.compile(r'\b(?:href|src|action|formaction|hx-get|hx-post|data-url)="([^"]+)"')
COMING_BY: list[tuple[str, dict[str, str]]] = [
    ("get", {}),
    ("head", {}),
    ("get", {"Purpose": "prefetch", "Sec-Purpose": "prefetch;prerender", "X-Moz": "prefetch"}),
    ("get", {"User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"}),
    ("head", {"User-Agent": "Mozilla/5.0 (compatible; SafeLinks; scanner)"}),
    ("get", {"HX-Request": "true", "HX-Current-URL": f"{SITE}/inbox/"}),
]
"""A click, a prefetch by any of its names, the bots of a chat and of a mail server, a live page."""

CHANGING = {
    "proposal:decide": {"decision": "approve", "reason": "Seen."},
    "alerts:acknowledge": {"cause": "A fee.", "next_step": "Ask.", "due_at": "2100-01-01T10:00"},
    "alerts:resolve": {"resolution": "Told the desk."},
    "alerts:resume": {"reason": "It is right now."},
    "unknowns:ask": {},
    "unknowns:rule": {"resolution": "happened", "reason": "I looked."},
    "stop:place": {"reason": "Something is odd."},
    "stop:lift": {"reason": "It was nothing."},
    "audit:verify": {"what": "verify"},
    "audit:export": {"what": "export"},
    "demo:world": {"change": "purchase"},
    "account_logout": {},
}
"""What can be said at each route that takes a POST of somebody signed in."""


@pytest.fixture(scope="module")
def everywhere(shared_desk: Desk) -> Everywhere:
    return Everywhere(shared_desk)


def links(reader: Reader, address: str) -> set[str]:
    """Everything that the page leads to within this site, by whatever element."""
    found = LEADING.findall(reader.get(address).html)
    whole = (urljoin(SITE + address, unescape(link)) for link in found)
    within = {urldefrag(link)[0] for link in whole if link.startswith(f"{SITE}/")}
    return {link.removeprefix(SITE) for link in within if "/static/" not in link}


def signed_in(world: Everywhere, name: str, **wishes: Any) -> Client:
    client = Client(SERVER_NAME="localhost", **wishes)
    client.force_login(getattr(world.desk.people, name))
    return client


@pytest.mark.parametrize("cookies", ["without cookies", "with the approver's"])
def test_c84_no_link_decides_whoever_follows_it(everywhere: Everywhere, cookies: str) -> None:
    database, proposal = everywhere.desk.database, everywhere.waiting[0]
    rosa, address = Reader(everywhere.desk.people.rosa), address_of(proposal)
    found = {address, f"/proposals/{proposal.proposal_id}/", *links(rosa, address)}
    found |= links(rosa, "/inbox/")
    assert f"{address}decide/" in found
    assert f"{address}live/" in {link.partition("?")[0] for link in found}
    client = signed_in(everywhere, "rosa") if cookies.startswith("with the") else Client()
    before = contents(database)
    for link, (method, headers) in product(sorted(found), COMING_BY):
        answer = getattr(client, method)(link, headers=headers)
        assert answer.status_code < 500, (method, link)
    assert contents(database) == before
    proposal.refresh_from_db()
    assert proposal.status == "open"


def test_c84_afterwards_the_person_decides_and_it_is_theirs(everywhere: Everywhere) -> None:
    desk, proposal = everywhere.desk, everywhere.waiting[1]
    address = address_of(proposal)
    for client in (Client(), signed_in(everywhere, "rosa"), signed_in(everywhere, "otto")):
        for _ in range(3):
            client.get(address)
            client.get(f"{address}decide/", {"decision": "approve"})
    rosa = signed_in(everywhere, "rosa", enforce_csrf_checks=True)
    assert rosa.post(f"{address}decide/", whole(everywhere, rosa, proposal)).status_code == 302
    desk.work(proposal.run_id)

    proposal.refresh_from_db()
    assert proposal.status == "approved"
    log = desk.database.log(proposal.run_id)
    (made,) = [event for event in log if event["kind"] == "decision_made"]
    assert made["actor"] == f"person:{desk.people.rosa.pk}"
    audit = Reader(desk.people.ada).get(f"/audit/{proposal.run_id}/{made['seq']}/")
    assert "Rosa Lind" in audit.text


def whole(world: Everywhere, client: Client, proposal: Proposal) -> dict[str, str]:
    """The form of the decision as the page of this browser gave it, filled in, with its token."""
    page = client.get(address_of(proposal)).content.decode()
    given = {
        field["name"]: field.get("value", "")
        for field in elements(page, "input")
        if field.get("type") == "hidden"
    }
    return {**given, "decision": "approve", "reason": "Seen."}


def test_c84_a_whole_decision_without_the_token_or_from_elsewhere_is_refused(
    everywhere: Everywhere,
) -> None:
    database, proposal = everywhere.desk.database, everywhere.waiting[2]
    client = signed_in(everywhere, "rosa", enforce_csrf_checks=True)
    form, address = whole(everywhere, client, proposal), f"{address_of(proposal)}decide/"
    before = contents(database)
    without = {name: value for name, value in form.items() if name != "csrfmiddlewaretoken"}
    for sent, headers in (
        (without, {}),
        ({**form, "csrfmiddlewaretoken": "a" * 64}, {}),
        (form, {"Origin": "https://evil.example"}),
        (form, {"Origin": "null"}),
        (form, {"Origin": "http://localhost.evil.example"}),
    ):
        answer = client.post(address, sent, headers=headers)
        assert answer.status_code == 403, (sent.get("csrfmiddlewaretoken"), headers)
    stranger = Client(SERVER_NAME="localhost", enforce_csrf_checks=True)
    stranger.get("/sign-in/")
    token = stranger.cookies[settings.CSRF_COOKIE_NAME].value
    theirs = {**form, "csrfmiddlewaretoken": token}
    assert stranger.post(address, theirs).headers["Location"].startswith("/sign-in/")
    assert contents(database) == before


def test_c84_nothing_that_changes_is_said_without_the_token(everywhere: Everywhere) -> None:
    database, before = everywhere.desk.database, contents(everywhere.desk.database)
    for name in ("rosa", "otto", "zoe", "ada"):
        client = signed_in(everywhere, name, enforce_csrf_checks=True)
        for route, said in CHANGING.items():
            for headers in ({}, {"Origin": "https://evil.example"}):
                answer = client.post(everywhere.addresses[route], said, headers=headers)
                assert answer.status_code == 403, (name, route)
    assert contents(database) == before
