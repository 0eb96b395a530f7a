"""One click, and in: as one of the cast, and only as one of them."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from oversight.demo.cast import CAST
from oversight.models import Person
from tests.cast import People


def enter(client: Client, name: str) -> object:
    return client.post(reverse("demo:sign_in", args=[name]))


@pytest.mark.parametrize("part", CAST, ids=lambda part: part.name)
def test_one_click_signs_in_as_each_of_the_cast(cast: dict[str, Person], part: object) -> None:
    client = Client()
    answer = enter(client, part.name)
    assert (answer.status_code, answer.url) == (302, settings.LOGIN_REDIRECT_URL)
    assert client.session["_auth_user_id"] == str(cast[part.name].pk)


def test_the_sign_in_page_shows_everybody(cast: dict[str, Person]) -> None:
    page = Client().get(reverse("account_login")).content.decode()
    for part in CAST:
        assert part.shown_name in page
        assert f'action="{reverse("demo:sign_in", args=[part.name])}"' in page


def test_who_is_signed_in_is_not_shown_the_cast(cast: dict[str, Person]) -> None:
    client = Client()
    enter(client, "rosa")
    assert "demo_cast" not in (client.get(reverse("inbox:page")).context or {})


def test_looking_at_the_address_signs_nobody_in(cast: dict[str, Person]) -> None:
    client = Client()
    for method in (client.get, client.head, client.put):
        assert method(reverse("demo:sign_in", args=["rosa"])).status_code == 405
    assert "_auth_user_id" not in client.session


def test_a_strangers_page_cannot_press_the_button(cast: dict[str, Person]) -> None:
    client = Client(enforce_csrf_checks=True)
    assert enter(client, "rosa").status_code == 403
    assert "_auth_user_id" not in client.session


def test_the_session_is_a_new_one(cast: dict[str, Person]) -> None:
    client = Client()
    client.get(reverse("account_login"))
    enter(client, "rosa")
    before = client.session.session_key
    enter(client, "tomas")
    assert client.session.session_key != before
    assert client.session["_auth_user_id"] == str(cast["tomas"].pk)


def test_nobody_else_can_be_stepped_in_as(cast: dict[str, Person], people: People) -> None:
    people.somebody("mallory", "administrator")
    for name in ("mallory", "nobody"):
        client = Client()
        assert enter(client, name).status_code == 404
        assert "_auth_user_id" not in client.session


def test_one_of_the_cast_who_was_shut_out_stays_out(cast: dict[str, Person]) -> None:
    Person.objects.filter(username="rosa").update(is_active=False)
    client = Client()
    assert enter(client, "rosa").status_code == 404
    assert "_auth_user_id" not in client.session
