"""The provider is named in the environment; where none is, nothing of it is there."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from oversight.environment import identity_provider
from tests.embedded.test_settings import PRODUCTION, run
from tests.pages.reading import Reader
from tests.world import Database

NAMED = {
    "PLACET_OIDC_ISSUER": "https://accounts.example/tenant",
    "PLACET_OIDC_CLIENT_ID": "placet",
    "PLACET_OIDC_SECRET": "a well kept secret",
}
WHAT_IS_THERE = """
import django; django.setup()
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
try:
    print(reverse("openid:start"))
except NoReverseMatch:
    print("no route")
print(settings.PLACET_OPENID)
"""


def test_without_a_provider_there_is_no_route() -> None:
    told = run("-c", WHAT_IS_THERE, **PRODUCTION)
    assert told.stdout.split("\n")[:2] == ["no route", "None"], told.stderr


def test_with_one_there_is_and_its_secret_is_in_no_print_of_it() -> None:
    told = run("-c", WHAT_IS_THERE, **PRODUCTION, **NAMED)
    assert told.stdout.startswith("/sign-in/with/\n"), told.stderr
    assert "accounts.example" in told.stdout
    assert "well kept" not in told.stdout


@pytest.mark.parametrize("missing", NAMED)
def test_half_a_provider_is_refused_and_no_secret_repeated(missing: str) -> None:
    half = {name: value for name, value in NAMED.items() if name != missing}
    with pytest.raises(ImproperlyConfigured, match="go together") as refused:
        identity_provider(half)
    assert "well kept" not in str(refused.value)


@pytest.mark.parametrize(
    "issuer", ["http://accounts.example", "accounts.example", "https://a.example/?x=1", "ftp://a"]
)
def test_an_issuer_is_an_address_by_https(issuer: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="by https"):
        identity_provider({**NAMED, "PLACET_OIDC_ISSUER": issuer})


def test_its_pages_may_be_elsewhere() -> None:
    more = {"PLACET_OIDC_ORIGINS": "https://login.example,https://sso.example"}
    found = identity_provider({**NAMED, **more})
    assert found is not None
    assert found.name == "accounts.example"
    assert found.origins == (
        *("https://accounts.example", "https://login.example", "https://sso.example"),
    )


def test_the_page_with_the_button_alone_may_lead_there(database: Database) -> None:
    stranger = Reader()
    led = stranger.get("/sign-in/").response.headers["Content-Security-Policy"]
    assert "form-action 'self' http://localhost:9;" in f"{led};"
    other = stranger.get("/invitation/nothing/").response.headers["Content-Security-Policy"]
    assert "localhost" not in other


def test_where_none_is_named_no_page_speaks_of_it(database: Database, settings: Any) -> None:
    assert "Sign in with" in Reader().get("/sign-in/").text
    settings.PLACET_OPENID = None
    assert "Sign in with" not in Reader().get("/sign-in/").text


def test_a_provider_that_does_not_answer_is_told_calmly(database: Database) -> None:
    stranger = Reader()
    assert stranger.post("/sign-in/with/").response.headers["Location"] == "/sign-in/"
    assert "Example Accounts cannot be reached now" in stranger.get("/sign-in/").text
