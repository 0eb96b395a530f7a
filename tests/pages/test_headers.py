"""What every answer tells a browser, and that nothing is said without the token of its page."""

import pytest
from django.conf import settings
from django.test import Client

from tests.pages.everywhere import Everywhere
from tests.pages.reading import contents
from tests.pages.test_matrix import SAYING, WITH_ITS_FORM
from tests.world import Desk

TOLD = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
IN_THE_POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
}
OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in ("otto", "ada", "zoe")]
AT_SCREENS = ["rosa", *OTHERS]
"""What answers say hangs on no role: one reader is quick, the others are for a quiet machine."""

PROVIDER = settings.PLACET_OPENID.issuer

INERT = "proposal:seen_page"
"""A page of the past, drawn in a frame of ours: it has a stricter policy of its own."""

LEADING = {"account_login", "security:page"}
"""Their forms lead to the identity provider, too."""


@pytest.fixture(scope="module")
def everywhere(shared_desk: Desk) -> Everywhere:
    return Everywhere(shared_desk)


def client_of(world: Everywhere, name: str) -> Client:
    client = Client(SERVER_NAME="localhost", enforce_csrf_checks=True)
    client.force_login(getattr(world.desk.people, name))
    return client


@pytest.mark.parametrize("name", AT_SCREENS)
def test_every_answer_forbids_frames_foreign_scripts_and_guessing(
    everywhere: Everywhere, name: str
) -> None:
    client = client_of(everywhere, name)
    for route, address in {**everywhere.addresses, "": "/nowhere/"}.items():
        headers = client.get(address).headers
        for header, value in TOLD.items():
            if (route, header) != (INERT, "X-Frame-Options"):
                assert headers[header] == value, (address, header)
        if route != INERT:
            policy = headers["Content-Security-Policy"]
            if route in LEADING:
                policy = policy.replace(f" {PROVIDER}", "", 1)
            assert set(policy.split("; ")) >= IN_THE_POLICY, address
            assert PROVIDER not in policy, address
        assert "unsafe" not in headers["Content-Security-Policy"], address
        assert "Access-Control-Allow-Origin" not in headers, address


@pytest.mark.parametrize("name", AT_SCREENS)
def test_no_cookie_is_for_scripts_or_for_other_sites(everywhere: Everywhere, name: str) -> None:
    client, set_at = client_of(everywhere, name), set()
    for address in ("/sign-in/", *everywhere.addresses.values()):
        for cookie in client.get(address).cookies.values():
            if cookie["max-age"] == 0:
                continue  # it is taken away
            assert (bool(cookie["httponly"]), cookie["samesite"]) == (True, "Lax"), address
            assert (cookie["path"], cookie["domain"]) == ("/", ""), address
            set_at.add(cookie.key)
    assert set_at


@pytest.mark.parametrize("name", AT_SCREENS)
def test_nothing_is_said_anywhere_without_the_token(everywhere: Everywhere, name: str) -> None:
    client, database = client_of(everywhere, name), everywhere.desk.database
    before = contents(database)
    for route in sorted(SAYING | WITH_ITS_FORM):
        for headers in ({}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            address = everywhere.addresses[route]
            answer = client.post(address, {"decision": "approve"}, headers=headers)
            assert answer.status_code == 403, (route, headers)
            assert b"The form had expired" in answer.content, (route, headers)
    assert contents(database) == before
