"""Who may come in by an identity of theirs at the provider, and as whom; over HTTP, between real
processes."""

import json
import re
from typing import Any

from allauth.account.models import EmailAddress

from engine.models import Event
from oversight.models import Identity, Person
from tests.engine.test_step_up import guarded
from tests.openid.conftest import Entrance
from tests.openid.visiting import START, Visitor
from tests.pages.reading import address_of
from tests.phone import Phone

APP = "/security/app/"


def told(kind: str, person: Person | None = None) -> list[dict[str, Any]]:
    events = Event.objects.filter(kind=kind).order_by("at", "seq")
    facts = [json.loads(bytes(event.payload or b"{}")) for event in events]
    return [each for each in facts if person is None or each["person"] == person.pk]


def owners(subject: str) -> list[Person]:
    return [each.person for each in Identity.objects.filter(subject=subject)]


def with_a_phone(visitor: Visitor) -> Phone:
    """An authenticator app, added as its owner does it."""
    secret = re.findall(r"<code>([A-Z2-7]{4})</code>", visitor.get(APP).html)
    phone = Phone("".join(secret))
    visitor.post(APP, APP, code=phone.code())
    return phone


def test_who_has_linked_their_identity_comes_in_by_it_to_the_page_they_wanted(
    entrance: Entrance,
) -> None:
    mira = entrance.linked("mira", "mira-1")
    visitor = entrance.visitor()
    way = visitor.post(START, "/sign-in/?next=/runs/", next="/runs/").location
    answer = visitor.get(visitor.at_the_provider(way, "mira-1"))
    assert answer.location == "/runs/"
    assert visitor.is_in()
    (linked,) = told("identity_linked", mira)
    assert (linked["issuer"], linked["subject"]) == (entrance.issuer, "mira-1")
    assert [event["route"] for event in told("signed_in", mira)] == ["password", "openid"]
    assert Identity.objects.get(person=mira).used_at is not None


def test_the_session_is_another_than_the_stranger_had_and_ends_with_the_browser(
    entrance: Entrance,
) -> None:
    entrance.linked("nils", "nils-1")
    visitor = entrance.visitor()
    way = visitor.post(START).location
    strange = visitor.cookies["placet-session"]
    answer = visitor.get(visitor.at_the_provider(way, "nils-1"))
    assert visitor.cookies["placet-session"] != strange
    assert "max-age" not in answer.headers["set-cookie"].lower()


def test_it_leads_to_no_other_site(entrance: Entrance) -> None:
    entrance.linked("olga", "olga-1")
    visitor = entrance.visitor()
    way = visitor.post(START, next="https://evil.example/").location
    assert visitor.get(visitor.at_the_provider(way, "olga-1")).location == "/"


def test_whom_nobody_has_linked_is_not_let_in_and_told_what_to_do(entrance: Entrance) -> None:
    refused = len(told("sign_in_refused"))
    people, visitor = Person.objects.count(), entrance.visitor()
    assert visitor.comes_with("a stranger").location == "/sign-in/"
    assert "nobody here has linked that" in visitor.get("/sign-in/").text
    assert not visitor.is_in()
    assert Person.objects.count() == people
    latest = told("sign_in_refused")[refused:]
    assert latest == [{"person": None, "person_name": None, "route": "openid"}]


def test_a_mail_address_lets_nobody_in_as_its_owner_verified_or_not(entrance: Entrance) -> None:
    zoe = entrance.people.zoe
    zoe.email = "zoe@example.org"
    zoe.save()
    EmailAddress.objects.create(user=zoe, email=zoe.email, primary=True, verified=True)
    for mischief in ("mail", "verified mail"):
        visitor = entrance.visitor()
        assert visitor.comes_with("zoe", mischief).location == "/sign-in/"
        assert not visitor.is_in()
    assert not Identity.objects.filter(person=zoe).exists()


def test_who_was_shown_out_is_refused_calmly(entrance: Entrance) -> None:
    gone = entrance.linked("gone", "gone-1")
    Person.objects.filter(pk=gone.pk).update(is_active=False)
    visitor = entrance.visitor()
    answer = visitor.get(visitor.comes_with("gone-1").location)
    assert answer.status == 403
    assert "This account is closed" in answer.text
    assert not visitor.is_in()
    assert [event["route"] for event in told("sign_in_refused", gone)] == ["openid"]


def test_who_has_a_second_factor_is_asked_for_it_as_after_a_password(entrance: Entrance) -> None:
    paul = entrance.linked("paul", "paul-1")
    phone, visitor = with_a_phone(entrance.signed_in(paul)), entrance.visitor()
    assert visitor.comes_with("paul-1").location == "/sign-in/second-factor/"
    assert not visitor.is_in()
    assert "openid" not in [event["route"] for event in told("signed_in", paul)]
    visitor.post("/sign-in/second-factor/", "/sign-in/second-factor/", code=phone.code())
    assert visitor.is_in()
    assert told("signed_in", paul)[-1]["route"] == "openid"
    assert visitor.get(APP).location == "/security/", "they have shown it just now"
    entrance.desk.put_in_force(guarded())
    page = visitor.get(address_of(entrance.desk.propose_refund())).text
    assert "you have none that counts" in page, "to approve, it takes a passkey in such a session"


def test_it_is_the_first_factor_alone_and_changes_no_other(entrance: Entrance) -> None:
    entrance.linked("rita", "rita-1")
    visitor = entrance.visitor()
    visitor.comes_with("rita-1")
    assert visitor.is_in()
    assert visitor.get(APP).location == "/security/confirm/"
    unlinked = visitor.post("/sign-in/with/unlink/", "/security/")
    assert unlinked.location == "/security/confirm/"
    assert "with your password" in visitor.get("/security/confirm/").text


class TestLinking:
    def test_an_identity_is_one_person_s(self, entrance: Entrance) -> None:
        first, second = entrance.linked("sam", "sam-1"), entrance.people.somebody("sven", "auditor")
        visitor = entrance.signed_in(second)
        visitor.links("sam-1")
        assert "Nothing was linked" in visitor.get("/security/").text
        assert owners("sam-1") == [first]
        assert not Identity.objects.filter(person=second).exists()

    def test_a_person_has_one_identity(self, entrance: Entrance) -> None:
        tina = entrance.people.somebody("tina", "reviewer")
        visitor = entrance.signed_in(tina)
        way = visitor.post("/sign-in/with/link/", "/security/").location
        visitor.get(visitor.at_the_provider(way, "tina-1"))
        again = visitor.post("/sign-in/with/link/", "/sign-out/").location
        visitor.get(visitor.at_the_provider(again, "tina-2"))
        assert "Nothing was linked" in visitor.get("/security/").text
        assert owners("tina-2") == []

    def test_is_done_by_who_began_it(self, entrance: Entrance) -> None:
        """Somebody else's answer, in this browser or in another, links nothing."""
        ulla, vera = (entrance.people.somebody(name, "reviewer") for name in ("ulla", "vera"))
        visitor = entrance.signed_in(ulla)
        way = visitor.post("/sign-in/with/link/", "/security/").location
        answer = visitor.at_the_provider(way, "ulla-1")
        other = entrance.signed_in(vera)
        assert other.get(answer).location == "/sign-in/"
        visitor.post("/sign-out/", "/sign-out/")
        visitor.sign_in("vera")
        visitor.get(answer)
        assert owners("ulla-1") == []

    def test_ends_with_one_word(self, entrance: Entrance) -> None:
        will = entrance.linked("will", "will-1")
        visitor = entrance.signed_in(will)
        page = visitor.get("/security/")
        assert "signs you in here, in place of your password" in page.text
        visitor.post("/sign-in/with/unlink/", "/security/")
        assert entrance.visitor().comes_with("will-1").location == "/sign-in/"
        assert [event["subject"] for event in told("identity_unlinked", will)] == ["will-1"]


def test_an_address_is_sent_there_so_often_and_others_go_on(entrance: Entrance) -> None:
    one = entrance.visitor("127.0.2.1")
    answers = [one.post(START).status for _ in range(31)]
    assert answers == [302] * 30 + [429]
    assert "Too many attempts" in one.post(START).text
    assert entrance.visitor("127.0.2.2").post(START).status == 302
