"""What went wrong elsewhere between an approval and its execution: the agent says something else
when its step is played again, and the stored yes is used for that."""

import json
import uuid
from typing import Any

import pytest
from django.http import HttpResponse

from engine import auditing
from tests.agents_api.book import CHANGED, REVIEWED, Book, call, known
from tests.agents_api.caller import RUNS, problem
from tests.agents_api.office import Office, Place
from tests.pages.reading import Reader, address_of
from tests.world import Desk

KEY = "step-1"
"""The agent's own key for its step: whoever plays the step again sends it again."""

OTHERWISE = {
    "another value": call(arguments=CHANGED),
    "another action": call(action="book.strike_value"),
    "another number": call(arguments={"message": "reviewed-value", "times": 2}),
}
THE_SAME = {
    "other order of keys": json.dumps(
        dict(reversed(call(arguments=dict(reversed(REVIEWED.items()))).items()))
    ),
    "1.0 for 1": json.dumps(call(arguments={**REVIEWED, "times": 1.0})),
    "blanks and escapes": json.dumps(call(), indent=3).replace("reviewed", "\\u0072eviewed"),
}


@pytest.fixture
def book(monkeypatch: pytest.MonkeyPatch) -> Book:
    return known(monkeypatch)


@pytest.fixture
def approved(office: Office, book: Book) -> Place:
    """The reviewed value, approved by Rosa; no worker has taken it up yet."""
    run_id = office.caller.start_run()
    answer = sent(office, run_id, call())
    place = run_id, uuid.UUID(answer.json()["proposal_id"])
    office.work(place)
    assert office.decide(place).status == 302
    return place


def sent(office: Office, run_id: uuid.UUID, body: Any, once: str = KEY) -> HttpResponse:
    raw = body.encode() if isinstance(body, str) else body
    return office.caller.post(f"{RUNS}/{run_id}/proposals", raw, once=once)


def only_the_reviewed_value_is_written(office: Office, place: Place, book: Book) -> None:
    office.work(place, place)
    assert [line["message"] for line in book.lines] == ["reviewed-value"]
    assert [line["by"] for line in book.lines] == ["book.record_value"]
    assert office.caller.proposal(*place)["effect"]["committed_at"]
    assert auditing.run_once().intact


@pytest.mark.parametrize("what", OTHERWISE)
def test_c05_the_step_played_again_with_something_else_is_refused_and_told(
    office: Office, approved: Place, book: Book, what: str
) -> None:
    answer = sent(office, approved[0], OTHERWISE[what])
    problem(answer, 422, "idempotency_key_reused", "header.Idempotency-Key")
    log = office.caller.get(f"{RUNS}/{approved[0]}/events?limit=500").json()["events"]
    (told,) = [event for event in log if event["kind"] == "request_refused"]
    assert told["actor"] == "agent:refund-desk"
    assert told["payload"]["operation"] == "propose"
    assert told["payload"]["code"] == "idempotency_key_reused"
    assert len({told["payload"]["first"], told["payload"]["sent"]}) == 2
    assert len(office.caller.run(approved[0])["proposals"]) == 1
    only_the_reviewed_value_is_written(office, approved, book)


def test_c05_the_auditor_finds_the_mismatch(office: Office, approved: Place, desk: Desk) -> None:
    sent(office, approved[0], OTHERWISE["another value"])
    ada = Reader(desk.people.ada)
    found = ada.get("/audit/", run=str(approved[0]), kind="request_refused")
    assert "Events that match: 1" in found.text
    seq = desk.run(approved[0]).last_seq
    event = ada.get(f"/audit/{approved[0]}/{seq}/")
    assert "It was sent before with another body or to another address." in event.text


@pytest.mark.parametrize("what", OTHERWISE)
def test_c05_under_a_key_of_its_own_it_is_a_new_proposal_that_nobody_has_approved(
    office: Office, approved: Place, book: Book, what: str
) -> None:
    answer = sent(office, approved[0], OTHERWISE[what], once="step-1, again")
    assert answer.status_code == 202
    other = approved[0], uuid.UUID(answer.json()["proposal_id"])
    only_the_reviewed_value_is_written(office, approved, book)

    old, new = (office.caller.proposal(*place) for place in (approved, other))
    assert (old["status"], new["status"], new["decision"]) == ("approved", "open", None)
    assert old["digest"] != new["digest"]
    was, is_asked = (office.rosa.get(address_of(office.shown(one))) for one in (approved, other))
    assert "You approved this." in was.text
    assert ('name="decision"' in was.html, 'name="decision"' in is_asked.html) == (False, True)
    assert "You approved this" not in is_asked.text
    assert office.decide(other, "reject").status == 302
    office.work(other)
    assert len(book.lines) == 1


@pytest.mark.parametrize("what", THE_SAME)
def test_c05_another_spelling_of_the_same_changes_nothing_about_the_approval(
    office: Office, approved: Place, book: Book, what: str
) -> None:
    answer = sent(office, approved[0], THE_SAME[what])
    assert (answer.status_code, answer.headers["Idempotency-Replayed"]) == (202, "true")
    assert answer.json()["proposal_id"] == str(approved[1])
    assert office.stands(approved) == "approved"
    only_the_reviewed_value_is_written(office, approved, book)


def test_c05_a_default_written_out_is_another_request_and_the_same_content(
    office: Office, approved: Place, book: Book
) -> None:
    """The rule for defaults: they are filled in before anything is shown, approved or executed."""
    written_out = call(arguments={**REVIEWED, "margin": "none"})
    answer = sent(office, approved[0], written_out)
    problem(answer, 422, "idempotency_key_reused", "header.Idempotency-Key")
    only_the_reviewed_value_is_written(office, approved, book)
    assert book.lines[0]["margin"] == "none"

    again = sent(office, approved[0], written_out, once="another").json()["proposal_id"]
    office.work(approved)
    one, two = (frozen(office, approved[0], each) for each in (str(approved[1]), again))
    assert one == two == '{"margin":"none","message":"reviewed-value","times":1}'
    assert office.stands((approved[0], uuid.UUID(again))) == "open"
    assert len(book.lines) == 1


def frozen(office: Office, run_id: uuid.UUID, proposal_id: str) -> str:
    """The bytes of the arguments that the reviewers are shown, as the log tells them."""
    log = office.caller.get(f"{RUNS}/{run_id}/events?limit=500").json()["events"]
    opened = [event["payload"] for event in log if event["kind"] == "proposal_opened"]
    (found,) = [one["arguments"] for one in opened if one["proposal_id"] == proposal_id]
    return str(found)


def test_c05_an_answer_with_another_value_is_a_new_version_and_the_old_one_is_history(
    office: Office, book: Book
) -> None:
    place = office.caller.start_run(), uuid.uuid4()
    place = place[0], uuid.UUID(sent(office, place[0], call()).json()["proposal_id"])
    office.work(place)
    first = office.shown(place)
    stale = office.rosa.get(address_of(first)).form
    office.decide(place, "return")
    body = {key: value for key, value in call(arguments=CHANGED).items() if key != "tool_call_id"}
    address = f"{RUNS}/{place[0]}/proposals/{place[1]}/answers"
    office.work(place)
    assert office.caller.post(address, {**body, "version": 1}).status_code == 202
    office.work(place)

    said = {**stale, "decision": "approve", "reason": "Seen."}
    assert office.rosa.post(f"{address_of(first)}decide/", **said).status == 409
    office.work(place)
    told = office.caller.proposal(*place)
    assert (told["version"], told["status"], book.lines) == (2, "open", [])
    assert told["digest"] != first.digest
    assert 'name="decision"' not in office.rosa.get(address_of(first)).html


def test_c05_a_workflow_that_says_something_else_when_it_is_played_again(
    office: Office, desk: Desk, book: Book
) -> None:
    """Its stored bytes go on; what it says at its next step needs an approval of its own."""
    run_id = office.caller.start_run("diary")
    desk.work(run_id)
    (first,) = office.caller.run(run_id)["proposals"]
    place = run_id, uuid.UUID(first["proposal_id"])
    for _ in range(2):
        desk.work_on_after_waiting(run_id)
    assert office.decide(place).status == 302
    assert book.said == ["reviewed-value"]
    for _ in range(3):
        desk.work_on_after_waiting(run_id)

    assert [line["message"] for line in book.lines] == ["reviewed-value"]
    assert set(book.said[1:]) == {"changed-value"}
    told = office.caller.run(run_id)["proposals"]
    assert [one["status"] for one in told] == ["approved", "open"]
    log = office.caller.get(f"{RUNS}/{run_id}/events?limit=500").json()["events"]
    assert [event["kind"] for event in log].count("decision_made") == 1
