"""Premises read again on demand: a worker does it, and it changes nothing that is decided."""

import json
from typing import Any

import pytest

from engine import api
from engine.errors import Conflict, NotFound, NotPermitted, TooEarly
from engine.models import Event, Proposal
from tests.cast import reviewer
from tests.world import Desk


def ask(desk: Desk, proposal: Proposal) -> None:
    api.look_again(proposal.run_id, proposal.pk, reviewer=reviewer(desk.people.rosa))


def found(desk: Desk, proposal: Proposal) -> dict[str, Any]:
    desk.work(proposal.run_id)
    event = Event.objects.filter(run_id=proposal.run_id, kind="premises_read").latest("seq")
    said: dict[str, Any] = json.loads(bytes(event.payload or b""))
    return said


def test_what_is_found_is_kept_as_an_event(desk: Desk) -> None:
    proposal = desk.propose_refund()
    ask(desk, proposal)
    told = found(desk, proposal)
    assert told["found"] == json.loads(bytes(proposal.terms))["precondition"]
    assert told["problem"] is None
    assert desk.run(proposal.run_id).status == "waiting_approval"


def test_a_changed_world_is_found_and_the_version_stays_what_it_is(desk: Desk) -> None:
    proposal = desk.propose_refund()
    desk.ledger.set_balance("1.00")
    ask(desk, proposal)
    assert found(desk, proposal)["found"] != json.loads(bytes(proposal.terms))["precondition"]
    same = desk.proposal(proposal.run_id)
    assert (same.pk, same.digest, same.status) == (proposal.pk, proposal.digest, "open")


def test_a_target_that_does_not_answer_is_told_and_pauses_nothing(desk: Desk) -> None:
    proposal = desk.propose_refund()
    desk.ledger.shut()
    ask(desk, proposal)
    told = found(desk, proposal)
    assert told["found"] is None
    assert told["problem"]
    assert desk.run(proposal.run_id).status == "waiting_approval"
    desk.ledger.open()


def test_asked_again_at_once_is_too_early(desk: Desk) -> None:
    proposal = desk.propose_refund()
    ask(desk, proposal)
    with pytest.raises(TooEarly):
        ask(desk, proposal)


@pytest.mark.parametrize("name", ["ada", "tomas"])
def test_only_who_could_decide_it_has_the_target_read(desk: Desk, name: str) -> None:
    proposal = desk.propose_refund()
    with pytest.raises(NotPermitted):
        api.look_again(proposal.run_id, proposal.pk, reviewer=reviewer(getattr(desk.people, name)))
    assert not Event.objects.filter(kind="premises_asked").exists()


def test_what_is_decided_is_not_looked_at(desk: Desk) -> None:
    with pytest.raises(Conflict):
        ask(desk, desk.approved_refund())


def test_what_is_of_another_run_is_not_found(desk: Desk) -> None:
    one, other = desk.propose_refund(), desk.propose_refund()
    one.run_id = other.run_id
    with pytest.raises(NotFound):
        ask(desk, one)


def test_a_decision_that_comes_in_between_is_heard(desk: Desk) -> None:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    ask(desk, proposal)
    desk.approve(proposal)
    desk.work(proposal.run_id)
    assert desk.ledger.movements(order) == 1
