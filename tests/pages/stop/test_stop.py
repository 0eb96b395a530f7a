"""The stop: placed by operators and administrators, seen by all, lifted with a reason."""

import re
from typing import Any

import pytest

from engine import api
from engine.models import Proposal, Stop
from oversight.reading import keyset
from tests.cast import People, all_go_on, reviewer
from tests.engine.together import together
from tests.pages.hostile import HARM, HIDDEN, MARKUP
from tests.pages.reading import Page, Reader, Readers, contents, elements
from tests.world import Database, Desk

REASON = "The journal shows payments that nobody knows of."


def place(reader: Reader, **fields: Any) -> Page:
    """Post a stop; a field that is None is left out."""
    said = {"kind": "everything", "reason": REASON, "rollbacks": "wait", **fields}
    return reader.post("/stop/place/", **{name: v for name, v in said.items() if v is not None})


def lift(reader: Reader, **fields: Any) -> Page:
    """Whoever sits at the machine has asked that everything go on; the reader agrees."""
    api.go_on(api.Command(user="root"), "It looks like nothing.")
    return say_go_on(reader, agrees="True", **fields)


def say_go_on(reader: Reader, **fields: Any) -> Page:
    """Post a word for lifting the stop that the page shows."""
    said = {"stop_id": shown_stop(reader), "reason": "It was explained.", **fields}
    return reader.post("/stop/lift/", **{name: v for name, v in said.items() if v is not None})


def shown_stop(reader: Reader) -> str:
    fields = elements(reader.get("/stop/").html, "input")
    return next((each["value"] for each in fields if each.get("name") == "stop_id"), "")


def main_of(page: Page) -> str:
    return page.html.partition("<main")[2].partition("</main>")[0]


def test_without_a_stop_it_says_what_one_would_hold_up(desk: Desk, otto: Reader) -> None:
    desk.propose_refund()
    desk.approved_refund()
    desk.work(desk.approved_refund().run_id)
    page = otto.get("/stop/")
    assert page.status == 200
    assert "Nothing is stopped" in page.text
    numbers = re.findall(r'class="stop__number">(\d+)<', page.html)
    assert numbers == ["0", "1", "1"], "under way, approved, open"
    assert "There never was one." in page.text


@pytest.mark.parametrize(("rollbacks", "run"), [("run", True), ("wait", False)])
def test_it_is_placed_with_its_reason_and_with_a_word_on_rollbacks(
    desk: Desk, people: People, otto: Reader, rollbacks: str, run: bool
) -> None:
    answer = place(otto, rollbacks=rollbacks)
    assert answer.response.headers["Location"] == "/stop/"
    stop = Stop.objects.get()
    assert (stop.reason, stop.rollbacks_run) == (REASON, run)
    assert stop.placed_by == f"person:{people.otto.pk}"
    page = otto.get("/stop/")
    assert "Everything is stopped. Nothing new begins." in page.text
    assert f"Everything is stopped {REASON} Otto Weiss" in page.text
    assert ("Rollbacks run." in page.text) is run


def test_from_then_on_nothing_is_approved_or_sent(
    desk: Desk, people: People, reading: Readers, otto: Reader
) -> None:
    waiting, approved = desk.propose_refund(), desk.approved_refund()
    place(otto)
    assert reading(people.rosa).decide(waiting, "approve").status == 409
    desk.work(approved.run_id)
    assert desk.ledger.honoured() == []
    assert desk.run(approved.run_id).reason_code == "stop"


def test_lifting_it_needs_a_reason_and_lets_everything_begin_again(
    desk: Desk, people: People, otto: Reader
) -> None:
    place(otto)
    assert lift(otto).response.headers["Location"] == "/stop/"
    stop = Stop.objects.get()
    assert (stop.lifted_by, stop.lifted_reason) == (f"person:{people.otto.pk}", "It was explained.")
    page = otto.get("/stop/")
    assert "The stop is lifted." in page.text
    assert "Nothing is stopped" in page.text
    desk.work(desk.approved_refund().run_id)
    assert len(desk.ledger.honoured()) == 1


def test_an_administrator_may_do_both(desk: Desk, people: People, reading: Readers) -> None:
    zoe = reading(people.zoe)
    assert place(zoe).status == 302
    assert lift(zoe).status == 302


@pytest.mark.parametrize("name", ["rosa", "tomas", "ada", "ines"])
def test_nobody_else_places_or_lifts_one_and_all_see_it(
    desk: Desk, people: People, database: Database, reading: Readers, otto: Reader, name: str
) -> None:
    reader = reading(getattr(people, name))
    before = contents(database)
    assert place(reader).status == 403
    assert "Who could: Operator, Administrator." in place(reader).text
    assert contents(database) == before
    place(otto)
    before = contents(database)
    assert say_go_on(reader, stop_id=str(Stop.objects.get().pk)).status == 403
    assert contents(database) == before
    page = reader.get("/stop/")
    assert "Everything is stopped" in page.text
    assert "You do not stop anything" in page.text
    assert "<form" not in main_of(page)


def test_a_stranger_is_sent_to_sign_in(
    database: Database, people: People, reading: Readers
) -> None:
    before = contents(database)
    assert place(reading()).response.headers["Location"].startswith("/sign-in/")
    assert reading().get("/stop/").status == 302
    assert contents(database) == before


def test_the_header_of_every_page_leads_there_and_says_when_one_is_in_force(
    desk: Desk, people: People, reading: Readers, otto: Reader
) -> None:
    proposal = desk.propose_refund()
    addresses = ("/inbox/", "/runs/", f"/runs/{proposal.run_id}/", "/alerts/", "/api/", "/nowhere/")
    for person in (people.rosa, people.ada, people.zoe):
        for address in addresses:
            html = reading(person).get(address).html
            assert '<a class="stop" href="/stop/">' in html, address
    place(otto)
    for person in (people.rosa, people.ada, people.zoe):
        for address in addresses:
            page = reading(person).get(address)
            assert '<a class="stop stop--in-force" href="/stop/">' in page.html, address
            assert "1 stop in force" in page.text


def test_somebody_without_a_role_is_not_led_anywhere(people: People, reading: Readers) -> None:
    page = reading(people.somebody("nina")).get("/inbox/")
    assert 'href="/stop/"' not in page.html


UNCLEAR: list[tuple[str, dict[str, Any], int]] = [
    ("no reason", {"reason": ""}, 422),
    ("blanks", {"reason": " \r\n "}, 422),
    ("no word on rollbacks", {"rollbacks": None}, 422),
    ("another word", {"rollbacks": "maybe"}, 422),
    ("both words", {"rollbacks": ["run", "wait"]}, 400),
    ("two reasons", {"reason": ["a", "b"]}, 400),
    ("a NUL", {"reason": "a\x00b"}, 422),
    ("no end", {"reason": "a" * 4_001}, 422),
]


def test_what_is_not_clear_stops_nothing(database: Database, otto: Reader) -> None:
    before = contents(database)
    for case, changed, code in UNCLEAR:
        assert place(otto, **changed).status == code, case
        assert contents(database) == before, case


def test_nothing_is_chosen_beforehand(otto: Reader) -> None:
    assert "checked" not in main_of(otto.get("/stop/"))


def test_what_was_typed_is_kept_when_something_is_missing(otto: Reader) -> None:
    assert REASON in place(otto, rollbacks=None).text


def test_a_second_stop_is_refused_and_names_the_first(
    people: People, reading: Readers, otto: Reader
) -> None:
    place(otto)
    answer = place(reading(people.zoe), reason="Me too.")
    assert answer.status == 409
    assert "Everything is stopped already" in answer.text
    assert "Otto Weiss did it on" in answer.text
    assert REASON in answer.text
    assert Stop.objects.count() == 1


def test_of_two_at_once_one_stop_comes(
    desk: Desk, people: People, reading: Readers, otto: Reader
) -> None:
    zoe = reading(people.zoe)
    answers = together([lambda: place(otto), lambda: place(zoe)])
    assert sorted(answer.status for answer in answers) == [302, 409]
    assert Stop.objects.count() == 1


def test_lifting_what_does_not_stand_is_refused(otto: Reader) -> None:
    place(otto)
    stop_id = shown_stop(otto)
    lift(otto)
    answer = otto.post("/stop/lift/", stop_id=stop_id, reason="Again.")
    assert answer.status == 409
    assert "That stop is lifted already" in answer.text


def test_an_old_page_does_not_lift_a_newer_stop(otto: Reader) -> None:
    place(otto)
    old = shown_stop(otto)
    lift(otto)
    place(otto, reason="Another one.")
    answer = otto.post("/stop/lift/", stop_id=old, reason="Go on.")
    assert answer.status == 409
    assert Stop.objects.get(reason="Another one.").lifted_at is None


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"reason": ""}, 422),
        ({"stop_id": None}, 422),
        ({"stop_id": "x"}, 422),
        ({"reason": ["a", "b"]}, 400),
    ],
)
def test_a_lifting_that_is_not_clear_lifts_nothing(
    otto: Reader, changed: dict[str, Any], code: int
) -> None:
    place(otto)
    assert lift(otto, **changed).status == code
    assert Stop.objects.get().lifted_at is None


def test_every_stop_stays_with_who_and_why(desk: Desk, people: People, otto: Reader) -> None:
    place(otto, reason="A drill.")
    lift(otto, reason="It was one.")
    page = otto.get("/stop/")
    for words in ("A drill.", "Otto Weiss", "It was one.", "waited"):
        assert words in page.text
    assert f'href="/stop/{Stop.objects.get().pk}/"' in page.html


def test_pages_of_the_history_skip_and_repeat_nothing(
    people: People, otto: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "SIZE", 2)
    for number in range(5):
        api.stop_everything(reviewer(people.otto), f"Drill {number}.")
        all_go_on(people)
    found, page = [], otto.get("/stop/")
    while True:
        found += re.findall(r"Drill (\d)\.", main_of(page))
        older = re.findall(r'rel="next" href="([^"]+)"', page.html)
        if not older:
            break
        page = otto.get(older[0].replace("&amp;", "&"))
    assert found == ["4", "3", "2", "1", "0"]


def test_who_stopped_from_the_machine_is_named_so(people: People, otto: Reader) -> None:
    api.stop_everything(api.Command(user="root"), "The pages are down.")
    assert "root, on the command line" in otto.get("/stop/").text


def test_what_somebody_wrote_is_text(people: People, otto: Reader) -> None:
    for words in (*MARKUP, *(f"a{hidden}b" for hidden in HIDDEN.values() if hidden != "\x1b")):
        place(otto, reason=words)
        html = otto.get("/stop/").html
        assert [harm for harm in HARM if harm in html] == [], words
        assert [hidden for hidden in HIDDEN.values() if hidden in html] == [], words
        lift(otto, reason=words)


def test_looking_changes_nothing(desk: Desk, database: Database, otto: Reader) -> None:
    place(otto)
    stop = Stop.objects.get()
    before = contents(database)
    for address in ("/stop/", "/stop/live/", f"/stop/{stop.pk}/", "/stop/place/", "/stop/lift/"):
        assert otto.get(address).status in (200, 302)
        assert otto.client.head(address).status_code in (200, 302)
    assert otto.post("/stop/").status == 405
    assert contents(database) == before
    assert Proposal.objects.count() == 0


class TestThatEverythingGoesOnTakesTwo:
    def test_the_first_word_is_shown_to_all_and_lifts_nothing(
        self, people: People, otto: Reader, reading: Readers
    ) -> None:
        place(otto)
        watched = reading(people.rosa).get("/stop/").attribute("hx-get")
        assert say_go_on(otto).status == 302
        page = otto.get("/stop/")
        assert (
            "Everything stays stopped until another operator or administrator agrees." in page.text
        )
        assert "Otto Weiss asks that everything go on" in page.text
        assert "You have asked." in page.text
        assert "Otto Weiss asks that everything go on" in reading(people.rosa).poll(watched).text
        assert Stop.objects.get().lifted_at is None

    def test_another_reads_why_and_agrees(
        self, people: People, otto: Reader, reading: Readers
    ) -> None:
        place(otto)
        say_go_on(otto, reason="The bank has answered.")
        zoe = reading(people.zoe)
        page = zoe.get("/stop/")
        assert "The bank has answered." in page.text
        assert "Agree, and lift the stop" in page.text
        assert say_go_on(zoe, **offered(page)).status == 302
        receipt = zoe.get(f"/stop/{Stop.objects.get().pk}/").text
        assert "Asked to go on" in receipt
        assert "The stop is lifted." in zoe.get("/stop/").text + receipt

    def test_a_page_from_before_somebody_asked_lifts_nothing(
        self, people: People, otto: Reader, reading: Readers
    ) -> None:
        place(otto)
        zoe = reading(people.zoe)
        before = offered(zoe.get("/stop/"))
        say_go_on(otto, reason="The bank has answered.")
        answer = say_go_on(zoe, **before)
        assert answer.status == 409
        assert "Otto Weiss has asked meanwhile" in answer.text
        assert Stop.objects.get().lifted_at is None

    def test_who_has_asked_does_not_agree_with_themselves(self, otto: Reader) -> None:
        place(otto)
        say_go_on(otto)
        assert offered(otto.get("/stop/"))["agrees"] == "False"
        assert say_go_on(otto, agrees="True").status == 409
        assert Stop.objects.get().lifted_at is None


def offered(page: Page) -> dict[str, str]:
    """The hidden fields of the form by which a stop is lifted."""
    fields = elements(page.html, "input")
    return {each["name"]: each["value"] for each in fields if each.get("name") in HIDDEN_FIELDS}


HIDDEN_FIELDS = ("stop_id", "agrees")
