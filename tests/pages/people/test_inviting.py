"""People come by an invitation: a link that works once, for a while, and changes nothing when it is
only opened."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from engine.models import Event
from oversight.models import Invitation, Person
from tests.cast import People
from tests.engine.together import alone, answer, together, wait_for_waiting
from tests.pages.people.test_people import change, page_of
from tests.pages.reading import Page, Reader, Readers, contents
from tests.world import Database, Desk

NINA = {"name": "Nina Roth", "email": "nina@example.org", "group0": "on"}
CHOSEN = {"username": "nina", "password": "lantern over the quiet bay"}
CHOSEN["again"] = CHOSEN["password"]


@pytest.fixture(autouse=True)
def _nobody_has_tried_yet() -> None:
    cache.clear()


@pytest.fixture
def zoe(desk: Desk, people: People, reading: Readers) -> Reader:
    assert people.yara
    return reading(people.zoe)


def link_in(page: Page) -> str:
    found = re.search(r"http://localhost(/invitation/[\w-]+/)", page.html)
    assert found is not None
    return found[1]


def invited(reader: Reader, **changed: Any) -> str:
    """Invite somebody; gives the address of their link."""
    return link_in(reader.post("/people/invite/", **{**NINA, **changed}))


def test_who_is_invited_chooses_a_password_and_signs_in_with_their_roles(
    zoe: Reader, reading: Readers
) -> None:
    nina, link = reading(), invited(zoe)
    page = nina.get(link)
    assert "Welcome, Nina Roth" in page.text
    assert nina.post(link, **CHOSEN).response.headers["Location"] == "/sign-in/"
    nina.post("/sign-in/", login="nina", password=CHOSEN["password"])
    assert "Nina Roth Reviewer" in nina.get("/inbox/").text
    kinds = Event.objects.filter(kind__in=("invitation_made", "person_joined"))
    assert [event.kind for event in kinds.order_by("seq")] == ["invitation_made", "person_joined"]


def test_its_link_is_shown_once_and_kept_as_a_hash(zoe: Reader) -> None:
    token = invited(zoe).split("/")[2]
    kept = Invitation.objects.get()
    assert kept.token_hash == sha256(token.encode()).hexdigest()
    assert token not in str(Invitation.objects.values().get())
    page = zoe.get("/people/")
    assert "Nina Roth nina@example.org" in page.text
    assert token not in page.html


def test_a_link_that_is_only_opened_changes_nothing(
    zoe: Reader, reading: Readers, database: Database
) -> None:
    link = invited(zoe)
    before = contents(database)
    for _ in range(3):
        answer = reading().get(link)
        assert answer.status == 200
        assert "no-store" in answer.response.headers["Cache-Control"]
    assert contents(database) == before


def test_it_lets_in_one_person_however_many_come_at_once(zoe: Reader, reading: Readers) -> None:
    link = invited(zoe)
    acts = [
        lambda n=n: reading().post(link, **{**CHOSEN, "username": f"nina{n}"}).status
        for n in range(4)
    ]
    assert sorted(together(acts)) == [302, 404, 404, 404]
    assert Person.objects.filter(username__startswith="nina").count() == 1


@pytest.mark.parametrize("other", ["nina", "NINA"])
def test_of_two_who_choose_one_name_at_once_the_second_is_told(
    other: str, zoe: Reader, reading: Readers, database: Database
) -> None:
    links = [invited(zoe), invited(zoe, email="nina.roth@example.org")]
    acts = [
        lambda link=link, name=name: reading().post(link, **{**CHOSEN, "username": name})
        for link, name in zip(links, ("nina", other), strict=True)
    ]
    with ThreadPoolExecutor(2) as threads:
        with database.connected() as holder, holder.transaction():
            # whoever comes first has the name, and waits to be noted; the second waits for the name
            holder.execute("SELECT pg_advisory_xact_lock(hashtext('placet.people'))")
            futures = [threads.submit(alone, act) for act in acts]
            wait_for_waiting(database, 2)
        pages = sorted((answer(future) for future in futures), key=lambda page: page.status)
    assert [page.status for page in pages] == [302, 422]
    assert "This name is taken." in pages[1].text
    assert Person.objects.filter(username__iexact="nina").count() == 1


def test_it_lets_nobody_in_once_it_has_run_out_or_is_withdrawn_or_sent_again(
    zoe: Reader, reading: Readers
) -> None:
    first = invited(zoe)
    made = Invitation.objects.get()
    second = link_in(zoe.post(f"/people/invitations/{made.pk}/again/"))
    assert reading().get(first).status == 404
    assert reading().get(second).status == 200
    Invitation.objects.update(expires_at=made.invited_at - timedelta(seconds=1))
    assert reading().post(second, **CHOSEN).status == 404
    third = link_in(zoe.post(f"/people/invitations/{made.pk}/again/"))
    assert zoe.post(f"/people/invitations/{made.pk}/withdraw/").status == 302
    assert reading().post(third, **CHOSEN).status == 404
    assert zoe.post(f"/people/invitations/{made.pk}/again/").status == 404
    assert not Person.objects.filter(username="nina").exists()


def test_it_lets_nobody_in_once_who_invited_them_administers_no_more(
    zoe: Reader, people: People, reading: Readers
) -> None:
    link = invited(zoe)
    change(reading(people.yara), people.zoe, "close")
    assert reading().post(link, **CHOSEN).status == 404
    assert not Person.objects.filter(username="nina").exists()


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"password": "short", "again": "short"}, "too short"),
        ({"password": "password1234", "again": "password1234"}, "too common"),
        ({"password": "nina@example.org", "again": "nina@example.org"}, "too similar"),
        ({"again": "something else entirely"}, "These are not the same."),
        ({"username": "ZOE"}, "This name is taken."),
        ({"username": "nina roth"}, "valid username"),
    ],
)
def test_what_is_wrong_with_what_was_chosen_is_told(
    changed: dict[str, str], told: str, zoe: Reader, reading: Readers
) -> None:
    link = invited(zoe)
    answer = reading().post(link, **{**CHOSEN, **changed})
    assert answer.status == 422
    assert told in answer.text
    assert reading().post(link, **CHOSEN).status == 302


@pytest.mark.parametrize("changed", [{"name": ""}, {"email": "nobody"}, {"group0": ""}])
def test_who_is_invited_has_a_name_an_address_and_a_role(
    changed: dict[str, str], zoe: Reader
) -> None:
    assert zoe.post("/people/invite/", **{**NINA, **changed}).status == 422
    assert not Invitation.objects.exists()


def test_nobody_is_invited_twice_or_has_two_accounts(zoe: Reader, reading: Readers) -> None:
    link = invited(zoe)
    assert zoe.post("/people/invite/", **{**NINA, "email": "Nina@Example.org"}).status == 422
    reading().post(link, **CHOSEN)
    assert zoe.post("/people/invite/", **NINA).status == 422


def test_only_administrators_invite(people: People, zoe: Reader, reading: Readers) -> None:
    made = invited(zoe)
    number = Invitation.objects.get().pk
    for name in ("rosa", "otto", "ada", "ines"):
        reader = reading(getattr(people, name))
        assert reader.post("/people/invite/", **NINA).status == 403
        for verb in ("again", "withdraw"):
            assert reader.post(f"/people/invitations/{number}/{verb}/").status == 403
        assert "nina@example.org" not in reader.get("/people/").text
    assert reading().get(made).status == 200


def test_too_many_attempts_have_to_wait(zoe: Reader, reading: Readers) -> None:
    link, reader = invited(zoe), reading()
    wrong = {**CHOSEN, "again": "something else entirely"}
    answers = [reader.post(link, **wrong).status for _ in range(31)]
    assert answers[:30] == [422] * 30
    assert answers[30] == 429


def test_where_there_is_a_mail_service_the_link_goes_there_and_nowhere_else(
    zoe: Reader, reading: Readers, settings: Any
) -> None:
    settings.PLACET_SENDS_MAIL = True
    answer = zoe.post("/people/invite/", **NINA)
    assert answer.response.headers["Location"] == "/people/"
    (message,) = mail.outbox
    assert message.to == ["nina@example.org"]
    link = re.search(r"http://localhost(/invitation/[\w-]+/)", str(message.body))
    assert link is not None
    assert link[1] not in zoe.get("/people/").html
    assert reading().post(link[1], **CHOSEN).status == 302
    assert Person.objects.get(username="nina").emailaddress_set.get().verified


def test_where_the_mail_service_fails_the_link_is_shown(zoe: Reader, settings: Any) -> None:
    settings.PLACET_SENDS_MAIL = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    answer = zoe.post("/people/invite/", **NINA)
    assert "The mail service did not take the message" in answer.text
    assert link_in(answer)


def test_a_name_that_deceives_is_shown_for_what_it_is(zoe: Reader) -> None:
    """Kept from a time at which it was let in."""
    invited(zoe)
    Invitation.objects.update(full_name="Ni\u202ena")
    assert "\u202e" not in zoe.get("/people/").html


def test_the_page_of_somebody_who_came_is_there(zoe: Reader, reading: Readers) -> None:
    reading().post(invited(zoe), **CHOSEN)
    page = zoe.get(page_of(Person.objects.get(username="nina")))
    assert "nina@example.org" in page.text


HIDING = ("Nina\u202e Roth", "Ni\u200bna", "Ni\u3164na", "Nina\nRoth")


@pytest.mark.parametrize("name", HIDING, ids=ascii)
def test_a_name_that_hides_something_is_nobody_s(
    zoe: Reader, reading: Readers, people: People, name: str
) -> None:
    """Others decide by it. By whichever way somebody, or a group, might come to be called so."""
    refused = zoe.post("/people/invite/", **{**NINA, "name": name})
    joins = reading().post(invited(zoe), **{**CHOSEN, "username": name})
    grouped = change(zoe, people.rosa, "groups", "reviewer", more=name)
    for page in (refused, joins, grouped):
        assert page.status == 422
    for page in (refused, grouped):
        assert "nobody would see it" in page.text
    for called in ({"full_name": name}, {"username": name}):
        with pytest.raises(ValidationError, match="Leave out U"):
            Person(**{"username": "nina", **called}).save()
    with pytest.raises(CommandError, match="Leave out U"):
        call_command("add_person", "nina", name=name, role=["auditor"])
    assert not Person.objects.filter(username="nina").exists()
