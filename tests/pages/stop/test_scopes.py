"""A stop for a workflow, an action, an agent or a run, from the page."""

import uuid

import pytest

from engine.errors import Stopped
from engine.models import Stop
from tests.cast import People
from tests.pages.reading import Page, Reader, Readers
from tests.world import Desk

REASON = "The refunds of today look odd."


@pytest.fixture
def otto(reading: Readers, people: People) -> Reader:
    return reading(people.otto)


def place(reader: Reader, kind: str, name: str) -> Page:
    said = {"kind": kind, "name": name, "reason": REASON, "rollbacks": "wait"}
    return reader.post("/stop/place/", **said)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("workflow", "agent"), ("action", "ledger.refund"), ("agent", "refund-desk")],
)
def test_it_is_placed_shown_and_lifted_by_name(
    desk: Desk, otto: Reader, kind: str, name: str
) -> None:
    proposal = desk.propose_refund()
    assert place(otto, kind, name).status == 302
    stop = Stop.objects.get()
    assert stop.scope == f"{kind}:{name}"
    page = otto.get("/stop/")
    assert "Stopped by name" in page.text
    assert REASON in page.text
    assert "Only what is named below is stopped" in page.text
    assert "Place a stop" in page.text, "a stop for everything may still be placed"
    with pytest.raises(Stopped):
        desk.approve(proposal)

    assert otto.post("/stop/lift/", stop_id=str(stop.pk), reason="Explained.").status == 302
    assert "Stopped by name" not in otto.get("/stop/").text
    desk.approve(proposal)


def test_a_run_is_stopped_by_its_id(desk: Desk, otto: Reader) -> None:
    held, free = desk.propose_refund(), desk.propose_refund()
    place(otto, "run", str(held.run_id))
    with pytest.raises(Stopped):
        desk.approve(held)
    desk.approve(free)
    assert f'href="/runs/{held.run_id}/"' in otto.get("/stop/").html


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("workflow", "", "Say which one."),
        ("workflow", "refnud", "There is no workflow"),
        ("run", str(uuid.UUID(int=7)), "There is no run"),
        ("everything", "refund", "Everything has no name."),
    ],
)
def test_what_would_stop_nothing_is_said_at_the_field(
    desk: Desk, otto: Reader, kind: str, name: str, said: str
) -> None:
    answer = place(otto, kind, name)
    assert answer.status == 422
    assert said in answer.text
    assert REASON in answer.html
    assert not Stop.objects.exists()


def test_a_kind_that_there_is_not_is_refused(desk: Desk, otto: Reader) -> None:
    assert place(otto, "group", "x").status == 422
    assert not Stop.objects.exists()


def test_others_see_it_and_are_offered_no_form(
    desk: Desk, otto: Reader, reading: Readers, people: People
) -> None:
    place(otto, "workflow", "agent")
    page = reading(people.rosa).get("/stop/")
    assert REASON in page.text
    assert 'action="/stop/lift/"' not in page.html


def test_of_two_who_lift_it_the_second_is_told(desk: Desk, otto: Reader) -> None:
    place(otto, "workflow", "agent")
    stop = Stop.objects.get()
    said = {"stop_id": str(stop.pk), "reason": "Explained."}
    assert otto.post("/stop/lift/", **said).status == 302
    assert otto.post("/stop/lift/", **said).status == 409


def test_of_two_who_place_it_the_second_is_told_who_was_first(desk: Desk, otto: Reader) -> None:
    place(otto, "workflow", "agent")
    answer = place(otto, "workflow", "agent")
    assert answer.status == 409
    assert "It is stopped already: workflow:agent" in answer.text


def test_the_overview_names_it(desk: Desk, otto: Reader) -> None:
    place(otto, "workflow", "agent")
    assert "Stopped: workflow:agent" in otto.get("/overview/").text
