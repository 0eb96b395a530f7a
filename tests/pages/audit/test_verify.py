"""The log verified on demand: by whom, how much of it, and with what result."""

import uuid

import pytest
from django.test import Client

from engine.models import Event
from oversight.pages.audit import verifying
from tests.cast import CAST, People
from tests.engine.test_chain import FORCED, by_force
from tests.pages.reading import Reader, Readers, contents
from tests.world import Database, Desk


@pytest.fixture
def run_id(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    return proposal.run_id


@pytest.fixture
def ada(desk: Desk, people: People, reading: Readers) -> Reader:
    return reading(people.ada)


def verify(reader: Reader, **fields: object) -> str:
    """Press the button, and read the page that it leads to."""
    answer = reader.post("/audit/verify/", what="verify", **fields)
    assert answer.status == 302
    return reader.get(answer.response.headers["Location"]).text


def test_before_anything_was_verified_the_page_says_so(ada: Reader, run_id: uuid.UUID) -> None:
    page = ada.get("/audit/")
    assert "Not verified yet" in page.text
    assert "Verify now" in page.text


def test_an_intact_log_is_told_with_how_much_was_checked(ada: Reader, run_id: uuid.UUID) -> None:
    events = Event.objects.count()
    text = verify(ada)
    assert f"Intact. Events checked: {events}, runs: 1." in text
    assert "Intact when last verified" in text
    assert f"Events checked: {events}, runs: 1" in text
    again = ada.get("/audit/").text
    assert "Intact. Events checked" not in again, "said once"
    assert f"Events checked: {events}, runs: 1" in again
    assert "Ada Moreau" in again


def test_of_one_run_it_is_told_on_the_page_of_that_run(
    ada: Reader, desk: Desk, run_id: uuid.UUID
) -> None:
    other = desk.start_run()
    events = desk.run(run_id).last_seq
    assert f"Events checked: {events}, runs: 1" in verify(ada, run=run_id)
    assert f"Events checked: {events}, runs: 1" in ada.get("/audit/", run=run_id).text
    assert "Not verified yet" in ada.get("/audit/", run=other).text
    assert "Not verified yet" in ada.get("/audit/").text


@pytest.mark.parametrize("what", FORCED)
def test_what_was_done_by_force_is_told_loudly(
    ada: Reader, desk: Desk, run_id: uuid.UUID, what: str
) -> None:
    by_force(desk, FORCED[what])
    text = verify(ada)
    assert "Not intact" in text
    assert "Intact when last verified" not in text
    if what != "a missing log":
        assert "What is stored is not what was written" in text
    assert "Not intact" in ada.get("/audit/").text, "the last result stays"


def test_each_fault_is_named(ada: Reader, desk: Desk, run_id: uuid.UUID) -> None:
    by_force(desk, FORCED["another actor"])
    seq = desk.database.kinds(run_id).index("decision_made") + 1
    text = verify(ada)
    assert f"{str(run_id)[-8:]} · event {seq}: the hash does not match" in text
    assert f'href="/runs/{run_id}/"' in ada.get("/audit/").html


def test_nothing_checked_is_no_pass(ada: Reader, database: Database) -> None:
    text = verify(ada, run=uuid.uuid4())
    assert "Nothing was checked, and that is not a pass." in text
    assert "Intact when last verified" not in text


def test_more_than_a_page_can_wait_for_is_left_to_the_command(
    ada: Reader, run_id: uuid.UUID, monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    monkeypatch.setattr(verifying, "MOST", 3)
    before = contents(database)
    assert "manage.py verify_log" in verify(ada)
    assert "manage.py verify_log" in verify(ada, run=run_id)
    assert contents(database) == before


def test_it_is_an_event_of_who_did_it(ada: Reader, people: People, run_id: uuid.UUID) -> None:
    verify(ada)
    event = Event.objects.get(kind="log_verified")
    assert event.actor == f"person:{people.ada.pk}"
    assert event.run.workflow == "system.access"


@pytest.mark.parametrize(
    "fields",
    [{}, {"what": "export"}, {"what": ["verify", "verify"]}, {"what": "verify", "run": "x"}],
)
def test_a_post_that_does_not_say_what_it_wants_does_nothing(
    ada: Reader, database: Database, run_id: uuid.UUID, fields: dict[str, object]
) -> None:
    before = contents(database)
    assert ada.post("/audit/verify/", **fields).status == 400
    assert contents(database) == before


@pytest.mark.parametrize("name", list(CAST))
def test_who_may_have_it_verified(
    desk: Desk, people: People, reading: Readers, database: Database, name: str
) -> None:
    desk.start_run()
    reader = reading(getattr(people, name))
    before = contents(database)
    allowed = CAST[name][1] in ("auditor", "operator", "administrator")
    assert reader.post("/audit/verify/", what="verify").status == (302 if allowed else 403)
    assert (contents(database) != before) is allowed
    assert ("Verify now" in reader.get("/audit/").text) is allowed


def test_a_stranger_is_sent_to_sign_in(reading: Readers, database: Database) -> None:
    before = contents(database)
    for address in ("/audit/verify/", "/audit/export/"):
        answer = reading().post(address, what="verify")
        assert answer.response.headers["Location"].startswith("/sign-in/")
    assert contents(database) == before


def test_a_post_from_elsewhere_is_refused(people: People, database: Database) -> None:
    client = Client(SERVER_NAME="localhost", enforce_csrf_checks=True)
    client.force_login(people.ada)
    before = contents(database)
    for address, what in (("/audit/verify/", "verify"), ("/audit/export/", "export")):
        assert client.post(address, {"what": what}).status_code == 403
    assert contents(database) == before
