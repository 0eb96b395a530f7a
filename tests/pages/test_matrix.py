"""Every route, by every method, for everybody: what `oversight/access.py` lists, and nothing else.

What only reads changes nothing, whoever asks.
"""

from collections.abc import Sequence
from itertools import product

import pytest
from django.core.cache import cache

from oversight import access
from oversight.access import Open
from tests.cast import CAST
from tests.pages.everywhere import (
    ABOUT_SESSIONS,
    AGENT_S_KEY,
    METHODS,
    STRANGER,
    VISITORS,
    Everywhere,
    Visitor,
    routes,
)
from tests.pages.reading import Reader, contents
from tests.world import Desk

SAFE = ("get", "head", "options")
SHOWN = {200, 204, 302}
SAID = {302, 400, 422}
NOT_ANSWERED = {405}

SAYING = {
    "inbox:choose",
    "inbox:reject",
    "proposal:decide",
    "proposal:take_back",
    "proposal:claim",
    "proposal:look",
    *(f"alerts:{name}" for name in ("acknowledge", "resolve", "resume", "accept")),
    *("runs:ask", "runs:fork", "runs:budget", "runs:take_back", "runs:by_hand"),
    *("unknowns:ask", "unknowns:rule", "stop:place", "stop:lift", "audit:verify", "audit:export"),
    *("policy:answer", "people:change", "people:qualify", "people:withdraw"),
    *("people:again", "people:recall", "openid:link", "openid:unlink"),
    *("exemptions:approve", "exemptions:end"),
}
"""Where something is said by POST; every other method leads back to the page that has the form."""

WITH_ITS_FORM = {
    *("demo:world", "policy:propose", "proposal:edit", "proposal:step_up", "people:invite"),
    *("exemptions:propose", "exemptions:step_up"),
    *(f"security:{name}" for name in ("confirm", "add_app", "add_passkey", "remove", "codes")),
}
"""Where something is said by POST to the address of the page itself."""

OF_THE_API = {
    "start_run": {"get", "post"},
    "list_runs": {"get", "post"},
    "see_run": {"get"},
    "propose": {"post"},
    "see_proposal": {"get"},
    "answer": {"post"},
    "withdraw": {"post"},
    "finish": {"post"},
    "see_events": {"get"},
    "deliver_event": {"post"},
}
"""What an address of the API answers to; two operations have the same one."""


def expected(who: str, route: str, method: str) -> set[int]:
    """What somebody is answered there, who sends nothing along."""
    allowed, role = access.allowed(route), CAST[who][1] if who in CAST else ""
    if allowed is Open.TO_KEYS:
        return of_the_api(who, route, method)
    if isinstance(allowed, Open):
        return open_to_all(route, method, signed_in=bool(role))
    if not role:
        return {302}
    return within(route, method) if role in allowed else {403}


def within(route: str, method: str) -> set[int]:
    if route in ("people:again", "people:recall") and method == "post":
        return {200, 302, 404}
    if route in SAYING:
        return SAID if method == "post" else {302}
    if route in WITH_ITS_FORM and method == "post":
        return SAID
    return SHOWN if method in ("get", "head") else NOT_ANSWERED


def of_the_api(who: str, route: str, method: str) -> set[int]:
    if route == "api:nowhere":
        return {404}
    if method not in OF_THE_API[route.rpartition(":")[2]]:
        return NOT_ANSWERED
    if who != AGENT_S_KEY:
        return {401}
    return {200} if method == "get" else {415}


def open_to_all(route: str, method: str, *, signed_in: bool) -> set[int]:
    if route == "account_inactive":
        return {403}
    if route == "account_login" and signed_in:
        return {302}
    if route == "invitation" and method == "post":
        return {422}
    answered = {
        "account_login": {"get", "head", "post", "put", "options"},
        "account_logout": {"get", "head", "post", "options"},
        "demo:sign_in": {"post"},
        "openid:start": {"post"},
        "mfa_authenticate": set(METHODS),
    }
    return SHOWN if method in answered.get(route, {"get", "head"}) else NOT_ANSWERED


@pytest.fixture(scope="module")
def everywhere(shared_desk: Desk) -> Everywhere:
    return Everywhere(shared_desk)


def test_every_route_has_an_address_here(everywhere: Everywhere) -> None:
    assert set(everywhere.addresses) == set(routes())


def test_the_pages_have_something_to_show(everywhere: Everywhere) -> None:
    rosa = Reader(everywhere.desk.people.rosa)
    pages = (
        "inbox",
        "runs",
        "unknowns",
        "alerts",
        "checkpoints",
        "rollbacks",
        "policy",
        "audit",
        "people",
    )
    empty = [name for name in pages if "data-row" not in rosa.get(f"/{name}/").html]
    assert empty == []


@pytest.mark.parametrize("who", VISITORS)
def test_everybody_gets_exactly_where_they_are_listed_and_reading_changes_nothing(
    everywhere: Everywhere, who: str
) -> None:
    visitor, database = everywhere.visitor(who), everywhere.desk.database
    elsewhere = [route for route in everywhere.addresses if route not in ABOUT_SESSIONS]
    others = [method for method in METHODS if method not in SAFE]
    before = contents(database)

    assert surprises(visitor, [*elsewhere, *ABOUT_SESSIONS], SAFE) == {}
    assert contents(database) == before
    assert surprises(visitor, elsewhere, others) == {}
    if who in (STRANGER, AGENT_S_KEY):
        assert contents(database) == before, "who has no role changes nothing by any method"
    assert surprises(visitor, ABOUT_SESSIONS, others) == {}


def surprises(
    visitor: Visitor, asked: Sequence[str], methods: Sequence[str]
) -> dict[tuple[str, str], int]:
    """What is answered otherwise than it should be."""
    cache.clear()  # nobody has come to the sign-in page too often
    answers = {
        (route, method): visitor.asks(route, method).status_code
        for route, method in product(asked, methods)
    }
    return {
        place: status
        for place, status in answers.items()
        if status not in expected(visitor.who, *place)
    }


def test_a_stranger_is_sent_to_sign_in_and_then_back(everywhere: Everywhere) -> None:
    for route, address in everywhere.addresses.items():
        if isinstance(access.allowed(route), frozenset):
            answer = Reader().client.get(address, {"show": "all"})
            assert answer.headers["Location"].startswith("/sign-in/?next=%2F"), address
            assert answer.headers["Location"].endswith("show%3Dall"), address
            assert "Cookie" in answer.headers["Vary"]


def test_what_somebody_signed_in_sees_is_never_kept(everywhere: Everywhere) -> None:
    rosa = Reader(everywhere.desk.people.rosa)
    for route, address in {**everywhere.addresses, "": "/nowhere/"}.items():
        if route not in ABOUT_SESSIONS:
            assert rosa.get(address).response.headers["Cache-Control"] == "no-store", address
