"""A person's second factors: had, shown and given up, each told in the log and never its secret."""

import json
import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from engine.models import Event
from oversight.second_factor import factors, tries
from tests.cast import PASSWORD, People
from tests.pages.reading import Reader, Readers
from tests.phone import Phone, given_a_phone

APP, CODES = "/security/app/", "/security/recovery-codes/"
HEADLINE = "And your second factor"


def told(kind: str) -> list[dict[str, Any]]:
    events = Event.objects.filter(kind=kind).order_by("seq")
    return [json.loads(bytes(event.payload or b"{}")) for event in events]


def secret_on(reader: Reader) -> str:
    html = reader.get(APP).html
    return "".join(re.findall(r"<code>([A-Z2-7]{4})</code>", html))


def enrolled(reader: Reader) -> Phone:
    phone = Phone(secret_on(reader))
    assert reader.post(APP, code=phone.code()).response.headers["Location"] == CODES
    return phone


def not_fresh(reader: Reader) -> None:
    """A while goes by."""
    session = reader.client.session
    session["placet.shown_at"] -= 3600
    session.save()


def sign_in(people: People, **fields: str) -> Client:
    client = Client(SERVER_NAME="localhost")
    client.post("/sign-in/", {"login": "rosa", "password": PASSWORD, **fields})
    return client


class TestAnApp:
    def test_is_added_by_its_first_code(self, rosa: Reader, people: People) -> None:
        enrolled(rosa)
        assert factors.kinds(people.rosa.pk) == {"totp"}
        assert "Authenticator app" in rosa.get("/security/").text
        assert [fact["factor"] for fact in told("factor_added")] == ["totp"]

    def test_is_not_added_by_another_code(self, rosa: Reader, people: People) -> None:
        phone = Phone(secret_on(rosa))
        wrong = f"{(int(phone.code()) + 1) % 1_000_000:06}"
        assert rosa.post(APP, code=wrong).status == 422
        assert not factors.of(people.rosa.pk)

    def test_keeps_its_secret_to_itself(self, rosa: Reader, people: People) -> None:
        """Neither the database nor the log has it as it is typed into an app."""
        secret = enrolled(rosa).secret
        assert secret not in json.dumps(Authenticator.objects.get().data)
        assert all(secret not in str(bytes(e.payload or b"")) for e in Event.objects.all())
        assert secret not in rosa.get("/security/").html

    def test_can_be_photographed_under_the_strict_policy(self, rosa: Reader) -> None:
        page = rosa.get(APP)
        assert "<svg" in page.html
        assert "data:" not in page.html
        assert "style=" not in page.html

    def test_there_is_one(self, rosa: Reader, people: People) -> None:
        enrolled(rosa)
        assert rosa.get(APP).response.headers["Location"] == "/security/"

    def test_is_given_up(self, rosa: Reader, people: People) -> None:
        enrolled(rosa)
        rosa.post(CODES)
        (app,) = factors.of(people.rosa.pk)
        assert "last one" in rosa.get(f"/security/{app.id}/remove/").text
        rosa.post(f"/security/{app.id}/remove/")
        assert not Authenticator.objects.exists()
        assert [fact["factor"] for fact in told("factor_removed")] == ["totp", "recovery_codes"]

    def test_is_nobody_else_s_to_give_up(
        self, rosa: Reader, people: People, reading: Readers
    ) -> None:
        given_a_phone(people.rosa)
        (app,) = factors.of(people.rosa.pk)
        reading(people.otto).post(f"/security/{app.id}/remove/")
        assert factors.of(people.rosa.pk) == (app,)


class TestOnesSession:
    @pytest.mark.parametrize("address", [APP, "/security/passkey/"])
    def test_has_to_be_fresh_to_add_one(self, address: str, rosa: Reader) -> None:
        not_fresh(rosa)
        for answer in (rosa.get(address), rosa.post(address, code="123456", name="Mine")):
            assert answer.response.headers["Location"] == "/security/confirm/"
        assert not Authenticator.objects.exists()

    def test_has_to_be_fresh_to_give_one_up(self, rosa: Reader, people: People) -> None:
        enrolled(rosa)
        (app,) = factors.of(people.rosa.pk)
        not_fresh(rosa)
        for address in (f"/security/{app.id}/remove/", CODES):
            assert rosa.post(address).response.headers["Location"] == "/security/confirm/"
        assert factors.of(people.rosa.pk) == (app,)
        assert not factors.codes_left(people.rosa.pk)

    def test_is_fresh_again_by_a_code_and_goes_on_under_another_key(
        self, rosa: Reader, people: People
    ) -> None:
        phone = enrolled(rosa)
        not_fresh(rosa)
        before = rosa.client.session.session_key
        rosa.post("/security/confirm/", code=phone.code())
        assert rosa.client.session.session_key != before
        assert not rosa.client.session.exists(before)
        assert rosa.get(CODES).status == 200

    def test_is_not_fresh_again_by_the_password(self, rosa: Reader, people: People) -> None:
        enrolled(rosa)
        not_fresh(rosa)
        assert rosa.post("/security/confirm/", code=PASSWORD, password=PASSWORD).status == 422
        assert rosa.get(CODES).status == 302

    def test_without_a_factor_is_made_fresh_by_signing_in_anew(self, rosa: Reader) -> None:
        not_fresh(rosa)
        assert 'action="/sign-out/"' in rosa.get("/security/confirm/").html

    def test_is_kept_from_strange_pages(self, people: People) -> None:
        client = Client(SERVER_NAME="localhost", enforce_csrf_checks=True)
        client.force_login(people.rosa)
        for address in (APP, CODES, "/security/passkey/", "/security/confirm/"):
            assert client.post(address, {"code": "123456"}).status_code == 403


class TestSigningIn:
    def test_asks_for_the_second_factor(self, people: People) -> None:
        phone = given_a_phone(people.rosa)
        client = sign_in(people)
        assert "_auth_user_id" not in client.session
        assert client.get("/inbox/").status_code == 302
        before = client.session.session_key
        assert HEADLINE in client.get("/sign-in/second-factor/").content.decode()

        client.post("/sign-in/second-factor/", {"code": phone.code()})

        assert client.session["_auth_user_id"] == str(people.rosa.pk)
        assert client.session.session_key != before
        assert len(told("signed_in")) == 1

    def test_without_one_asks_for_the_password_alone(self, people: People) -> None:
        assert people.rosa
        assert "_auth_user_id" in sign_in(people).session

    def test_is_refused_by_a_wrong_code_and_that_is_noted(self, people: People) -> None:
        given_a_phone(people.rosa)
        client = sign_in(people)
        client.post("/sign-in/second-factor/", {"code": "000000"})
        assert "_auth_user_id" not in client.session
        (event,) = Event.objects.filter(kind="factor_refused")
        assert event.actor == "stranger:sign-in"
        assert "000000" not in str(bytes(event.payload or b""))

    def test_takes_a_code_once(self, people: People) -> None:
        phone = given_a_phone(people.rosa)
        code = phone.code()
        for expected in (True, False):
            client = sign_in(people)
            client.post("/sign-in/second-factor/", {"code": code})
            assert ("_auth_user_id" in client.session) is expected

    def test_takes_no_older_code_after_a_later_one(self, people: People) -> None:
        phone = given_a_phone(people.rosa)
        older, later = phone.code(), phone.code()
        for code, expected in ((later, True), (older, False)):
            client = sign_in(people)
            client.post("/sign-in/second-factor/", {"code": code})
            assert ("_auth_user_id" in client.session) is expected

    def test_takes_a_recovery_code_once(self, people: People) -> None:
        given_a_phone(people.rosa)
        code = factors.new_codes(people.rosa)[0]
        for expected in (True, False):
            client = sign_in(people)
            client.post("/sign-in/second-factor/", {"code": code})
            assert ("_auth_user_id" in client.session) is expected

    def test_takes_no_code_after_too_many_wrong_ones(self, people: People) -> None:
        """However often somebody begins anew, and from wherever: the person is counted."""
        phone = given_a_phone(people.rosa)
        for _ in range(tries.MOST):
            sign_in(people).post("/sign-in/second-factor/", {"code": "000000"})
        client = sign_in(people)
        answer = client.post("/sign-in/second-factor/", {"code": phone.code()})
        assert "_auth_user_id" not in client.session
        assert "Too many did not match" in answer.content.decode()
        assert len(told("factor_refused")) == tries.MOST


class TestRecoveryCodes:
    def test_are_shown_once(self, rosa: Reader, people: People) -> None:
        enrolled(rosa)
        shown = re.findall(r"<li><code>(\d{8})</code></li>", rosa.post(CODES).html)
        assert len(set(shown)) == 10
        assert not re.findall(r"<code>\d{8}</code>", rosa.get(CODES).html)
        assert factors.codes_left(people.rosa.pk) == 10

    def test_replace_those_before(self, rosa: Reader, people: People) -> None:
        enrolled(rosa)
        first, then = factors.new_codes(people.rosa), factors.new_codes(people.rosa)
        assert not set(first) & set(then)
        assert told("factor_removed")[-1]["factor"] == "recovery_codes"

    def test_are_for_want_of_a_factor(self, rosa: Reader, people: People) -> None:
        assert rosa.post(CODES).response.headers["Location"] == "/security/"
        assert not Authenticator.objects.exists()


def test_the_menu_leads_there(rosa: Reader) -> None:
    assert 'href="/security/"' in rosa.get("/inbox/").html


def test_the_audit_trail_tells_of_it_in_words(
    rosa: Reader, people: People, reading: Readers
) -> None:
    enrolled(rosa)
    ada = reading(people.ada)
    assert "Second factor added" in ada.get("/audit/", kind="factor_added").text
    run = Event.objects.get(kind="factor_added").run_id
    page = ada.get(f"/runs/{run}/").text
    assert "Added a second factor" in page
    assert "authenticator app" in page
