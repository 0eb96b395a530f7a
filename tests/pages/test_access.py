"""Who may go where: no route is forgotten, and everybody is told where they stand."""

from types import ModuleType
from typing import Any

import pytest
from django.http import HttpResponse
from django.urls import NoReverseMatch, path, reverse

from oversight import access, urls
from oversight.access import EVERYBODY, REVIEWERS, ROLES, Open
from oversight.models import Person
from tests.cast import CAST, PASSWORD, People
from tests.pages.everywhere import routes
from tests.pages.reading import Reader, Readers, address_of
from tests.world import Database, Desk


def test_every_route_is_listed_with_its_roles() -> None:
    assert [name for name in routes() if not access.allowed(name)] == []


def test_every_listed_route_exists() -> None:
    """The demo's too: it is installed while the tests run."""
    assert set(access.ROUTES) - set(routes()) == set()


def test_only_these_routes_are_open_to_all() -> None:
    opened = {name for name, may in access.ROUTES.items() if may is Open.TO_ALL}
    assert opened == {
        "start",
        "account_login",
        "account_logout",
        "account_inactive",
        "mfa_authenticate",
        "invitation",
        "openid:start",
        "openid:back",
        "api:openapi",
        "demo:sign_in",
    }


def test_only_reviewers_take_the_route_of_a_decision() -> None:
    assert access.ROUTES["proposal:decide"] == REVIEWERS
    assert all(may <= EVERYBODY for may in access.ROUTES.values() if isinstance(may, frozenset))


@pytest.fixture
def forgotten_route(settings: Any) -> str:
    """A route that nobody has given roles to."""
    forgotten = path("forgotten/", lambda request: HttpResponse("in"), name="forgotten")
    routes_of_today = ModuleType("routes_of_today")
    routes_of_today.urlpatterns = [*urls.urlpatterns, forgotten]  # type: ignore[attr-defined]
    settings.ROOT_URLCONF = routes_of_today
    return "/forgotten/"


def test_a_route_that_is_not_listed_is_refused_to_everybody(
    forgotten_route: str, people: People, reading: Readers
) -> None:
    for name in CAST:
        assert reading(getattr(people, name)).get(forgotten_route).status == 403, name


def test_a_stranger_gets_no_further_on_a_route_that_is_not_listed(
    forgotten_route: str, reading: Readers
) -> None:
    assert reading().get(forgotten_route).status == 302


def test_a_live_part_sends_a_stranger_to_sign_in_and_back_to_the_whole_page(
    database: Database, reading: Readers
) -> None:
    answer = reading().poll("/inbox/live/")
    assert answer.status == 200
    assert answer.html == ""
    assert answer.response.headers["HX-Redirect"] == "/sign-in/?next=%2Finbox%2F"
    assert "HX-Request" in answer.response.headers["Vary"]


def test_somebody_without_a_role_is_refused_and_told_who_could(
    people: People, reading: Readers
) -> None:
    answer = reading(people.somebody("nina")).get("/inbox/")
    assert answer.status == 403
    assert all(str(word) in answer.text for word in ROLES.values())


def test_a_group_that_is_no_role_opens_nothing(people: People, reading: Readers) -> None:
    assert reading(people.somebody("nina", "friends")).get("/inbox/").status == 403


def test_an_auditor_who_wants_to_decide_is_told_that_reviewers_do(
    desk: Desk, people: People, reading: Readers
) -> None:
    address = address_of(desk.propose_refund())
    answer = reading(people.ada).post(f"{address}decide/", decision="approve")
    assert answer.status == 403
    assert "Who could: Reviewer." in answer.text


def test_a_role_that_is_taken_away_closes_its_routes_at_once(
    people: People, reading: Readers
) -> None:
    reader = reading(people.rosa)
    assert reader.get("/inbox/").status == 200
    people.rosa.groups.clear()
    assert reader.get("/inbox/").status == 403


def test_an_account_that_is_closed_is_a_strangers_at_once(people: People, reading: Readers) -> None:
    reader = reading(people.rosa)
    people.rosa.is_active = False
    people.rosa.save()
    assert reader.get("/inbox/").status == 302


def test_signing_in_with_a_password_leads_to_the_page_that_was_wanted(
    people: People, reading: Readers
) -> None:
    reader = reading()
    fields = {"login": people.rosa.username, "password": PASSWORD, "next": "/runs/"}
    answer = reader.post("/sign-in/", **fields)
    assert answer.response.headers["Location"] == "/runs/"
    assert "Rosa Lind" in reader.get("/runs/").text


def test_signing_in_leads_nobody_to_another_site(people: People, reading: Readers) -> None:
    fields = {"login": people.rosa.username, "password": PASSWORD, "next": "https://evil.example/"}
    assert reading().post("/sign-in/", **fields).response.headers["Location"] == "/"


def test_signing_in_leads_reviewers_to_their_inbox_and_others_to_the_overview(
    people: People, reading: Readers
) -> None:
    assert _begins(reading(), people.rosa) == "/inbox/"
    assert _begins(reading(), people.ada) == "/overview/"


def _begins(reader: Reader, person: Person) -> str:
    """Where somebody stands after signing in without having wanted a page."""
    answer = reader.post("/sign-in/", login=person.username, password=PASSWORD)
    return reader.get(answer.response.headers["Location"]).response.headers["Location"]


def test_a_wrong_password_signs_nobody_in(people: People, reading: Readers) -> None:
    reader = reading()
    answer = reader.post("/sign-in/", login=people.rosa.username, password="guess")
    assert answer.status == 200
    assert reader.get("/inbox/").status == 302


def test_signing_out_is_asked_about_first_and_done_by_post(
    people: People, reading: Readers
) -> None:
    reader = reading(people.rosa)
    assert "Sign out?" in reader.get("/sign-out/").text
    assert reader.get("/inbox/").status == 200
    reader.post("/sign-out/")
    assert reader.get("/inbox/").status == 302


@pytest.mark.parametrize(
    "name", ["account_signup", "account_reset_password", "account_email", "admin:index"]
)
def test_there_is_no_way_to_make_oneself_an_account(name: str) -> None:
    with pytest.raises(NoReverseMatch):
        reverse(name)


def test_the_sign_in_page_offers_no_account(database: Database, reading: Readers) -> None:
    answer = reading().get("/sign-in/")
    assert "sign up" not in answer.text.lower()
    assert "/signup" not in answer.html


def test_the_start_is_the_inbox_for_reviewers_and_the_overview_for_others(
    people: People, reading: Readers
) -> None:
    for name, (_, role) in CAST.items():
        start = reading(getattr(people, name)).get("/").response.headers["Location"]
        assert start == ("/inbox/" if role == "reviewer" else "/overview/")


def test_the_start_sends_a_stranger_to_sign_in(database: Database, reading: Readers) -> None:
    assert reading().get("/").response.headers["Location"] == "/sign-in/?next=%2F"


def test_the_frame_names_the_reader_and_what_waits(
    desk: Desk, people: People, reading: Readers
) -> None:
    desk.propose_refund()
    page = reading(people.rosa).get("/runs/")
    assert "Rosa Lind Reviewer" in page.text
    assert "Inbox 1 Runs" in page.text


def test_an_account_that_is_closed_signs_in_no_more(people: People, reading: Readers) -> None:
    people.rosa.is_active = False
    people.rosa.save()
    reader = reading()
    answer = reader.post("/sign-in/", login=people.rosa.username, password=PASSWORD)
    assert answer.response.headers["Location"] == "/sign-in/closed/"
    told = reader.get("/sign-in/closed/")
    assert (told.status, "This account is closed" in told.text) == (403, True)
    assert reader.get("/inbox/").status == 302
