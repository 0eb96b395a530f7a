"""Who came in, who was not let in and who left: all of it is found in the audit."""

import pytest

from engine.models import Event
from tests.cast import PASSWORD, People
from tests.pages.reading import Reader, Readers


@pytest.fixture
def ada(people: People, reading: Readers) -> Reader:
    return reading(people.ada)


def entered(reader: Reader, name: str, password: str = PASSWORD) -> None:
    reader.post("/sign-in/", login=name, password=password)


def test_signing_in_and_out_are_events_of_the_person(
    people: People, reading: Readers, ada: Reader
) -> None:
    rosa = reading()
    entered(rosa, people.rosa.username)
    rosa.post("/sign-out/")
    for kind, words in (("signed_in", "Signed in"), ("signed_out", "Signed out")):
        (event,) = Event.objects.filter(kind=kind)
        assert event.actor == f"person:{people.rosa.pk}"
        row = ada.get("/audit/", kind=kind).text.partition("Hash ")[2]
        assert words in row
        assert "log of access" in row
        assert "Rosa Lind" in row


def test_a_refused_sign_in_names_the_account_and_keeps_nothing_that_was_typed(
    people: People, reading: Readers, ada: Reader
) -> None:
    entered(reading(), people.rosa.username, "my other secret")
    (event,) = Event.objects.filter(kind="sign_in_refused")
    assert event.actor == "stranger:sign-in"
    assert b"my other secret" not in bytes(event.payload or b"")
    assert "somebody unknown" in ada.get("/audit/", kind="sign_in_refused").text
    story = ada.get(f"/runs/{event.run_id}/").text
    assert "Was not let in somebody unknown Rosa Lind" in story


def test_a_name_that_nobody_has_is_not_kept_for_it_may_be_a_password(
    reading: Readers, ada: Reader
) -> None:
    entered(reading(), "correct horse", "battery staple")
    (event,) = Event.objects.filter(kind="sign_in_refused")
    assert bytes(event.payload or b"") == b'{"person":null,"person_name":null,"route":"password"}'
    story = ada.get(f"/runs/{event.run_id}/").text
    assert "Was not let in: there is no such account" in story


def test_signing_out_without_having_signed_in_is_no_event(reading: Readers) -> None:
    reading().post("/sign-out/")
    assert not Event.objects.filter(kind="signed_out").exists()
