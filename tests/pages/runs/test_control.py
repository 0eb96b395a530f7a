"""An operator has a run stand still, go on or end, from its page, with a reason."""

import uuid

import pytest

from engine import api
from tests.cast import People
from tests.pages.reading import Reader, Readers
from tests.world import Desk


@pytest.fixture
def otto(reading: Readers, people: People) -> Reader:
    return reading(people.otto)


def ask(reader: Reader, run_id: uuid.UUID, verb: str, reason: str = "The customer called.") -> int:
    return reader.post(f"/runs/{run_id}/ask/", verb=verb, reason=reason).status


def verbs(reader: Reader, run_id: uuid.UUID) -> set[str]:
    html = reader.get(f"/runs/{run_id}/").html
    return {verb for verb in ("pause", "resume", "cancel") if f'value="{verb}"' in html}


def test_a_run_is_paused_goes_on_and_is_cancelled(desk: Desk, otto: Reader) -> None:
    run_id = desk.propose_refund().run_id
    assert verbs(otto, run_id) == {"pause", "cancel"}

    assert ask(otto, run_id, "pause") == 302
    desk.work(run_id)
    assert "An operator asked for it." in otto.get(f"/runs/{run_id}/").text
    assert verbs(otto, run_id) == {"resume", "cancel"}

    assert ask(otto, run_id, "resume") == 302
    desk.work(run_id)
    assert desk.run(run_id).status == "waiting_approval"

    assert ask(otto, run_id, "cancel") == 302
    desk.work(run_id)
    page = otto.get(f"/runs/{run_id}/")
    assert "Asked to end" in page.text
    assert "Proposal taken off the table" in page.text
    assert verbs(otto, run_id) == set()


def test_without_a_reason_nothing_is_asked(desk: Desk, otto: Reader) -> None:
    run_id = desk.propose_refund().run_id
    assert ask(otto, run_id, "cancel", reason="") == 422
    assert "cancel_requested" not in desk.database.kinds(run_id)


@pytest.mark.parametrize("verb", ["", "approve", "Cancel"])
def test_an_unknown_verb_is_refused(desk: Desk, otto: Reader, verb: str) -> None:
    run_id = desk.propose_refund().run_id
    assert ask(otto, run_id, verb) == 400
    assert desk.database.kinds(run_id)[-1] == "run_parked"


def test_what_came_too_late_says_where_the_run_stands(desk: Desk, otto: Reader) -> None:
    run_id = desk.propose_refund().run_id
    ask(otto, run_id, "cancel")
    desk.work(run_id)
    answer = otto.post(f"/runs/{run_id}/ask/", verb="pause", reason="Wait.")
    assert answer.status == 409
    assert "Cancelled" in answer.text


def test_others_are_not_offered_it_and_are_refused(
    desk: Desk, people: People, reading: Readers
) -> None:
    run_id = desk.propose_refund().run_id
    for person in (people.rosa, people.ada):
        reader = reading(person)
        assert verbs(reader, run_id) == set()
        assert ask(reader, run_id, "cancel") == 403


def test_a_run_that_does_not_exist_is_not_found(otto: Reader, desk: Desk) -> None:
    assert ask(otto, uuid.uuid4(), "pause") == 404


def test_a_get_asks_nothing(desk: Desk, otto: Reader) -> None:
    run_id = desk.propose_refund().run_id
    assert otto.get(f"/runs/{run_id}/ask/", verb="cancel", reason="x").status == 302
    assert desk.database.kinds(run_id)[-1] == "run_parked"


def test_a_run_is_forked_and_the_new_one_is_shown(desk: Desk, otto: Reader) -> None:
    run_id = desk.propose_refund().run_id
    page = otto.get(f"/runs/{run_id}/", up_to="3")
    assert 'name="seq" value="3"' in page.html

    answer = otto.post(f"/runs/{run_id}/fork/", seq="3", reason="Once more.")

    address = answer.response.headers["Location"]
    assert address != f"/runs/{run_id}/"
    assert "another run, after event 3" in otto.get(address).text
    assert "It began where run" in otto.get(address).text


@pytest.mark.parametrize("seq", ["0", "999", "x", ""])
def test_an_event_that_there_is_not_is_said_at_the_form(desk: Desk, otto: Reader, seq: str) -> None:
    run_id = desk.propose_refund().run_id
    answer = otto.post(f"/runs/{run_id}/fork/", seq=seq, reason="Once more.")
    assert answer.status == 422
    assert "Once more." in answer.html


def test_a_repetition_is_told_to_who_decides_it(desk: Desk, otto: Reader, rosa: Reader) -> None:
    run_id = desk.start_run("refund", order=desk.purchase(), customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    desk.work(run_id)
    address = otto.post(f"/runs/{run_id}/fork/", seq="2", reason="Once more.").response
    new = uuid.UUID(address.headers["Location"].split("/")[2])
    desk.work(new)
    proposal = desk.proposal(new)
    page = rosa.get(f"/proposals/{proposal.proposal_id}/{proposal.version}/")
    assert "To approve this is to do it once more." in page.text


def test_a_run_that_has_used_up_its_budget_is_given_another(desk: Desk, otto: Reader) -> None:
    run_id = api.start_run("agent", initiator=desk.people.agent, budget={"max_steps": 0})
    desk.ask_for_refund(run_id, desk.purchase())
    desk.work(run_id)
    page = otto.get(f"/runs/{run_id}/")
    assert "Another budget" in page.text

    said = {"max_steps": "10", "max_money": "5,0", "reason": "It is worth it."}
    assert otto.post(f"/runs/{run_id}/budget/", **said).status == 422
    said["max_money"] = ""
    assert otto.post(f"/runs/{run_id}/budget/", **said).status == 302
    desk.work(run_id)

    assert desk.run(run_id).status == "waiting_approval"
    assert "Another budget" not in otto.get(f"/runs/{run_id}/").text
    assert "Given another budget" in otto.get(f"/runs/{run_id}/").text
