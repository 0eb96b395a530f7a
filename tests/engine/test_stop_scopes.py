"""A stop holds exactly what its scope says: nothing more begins in there, and all else goes on."""

import uuid
from collections.abc import Callable

import pytest

from engine import api, sweeper
from engine.errors import BadInput, Conflict, NotPermitted, Stopped
from engine.models import Effect, Proposal
from tests.cast import AGENT, all_go_on, reviewer
from tests.engine.together import just_before
from tests.world import Desk

SCOPES: dict[str, Callable[[uuid.UUID], str]] = {
    "the workflow": lambda run_id: "workflow:agent",
    "the action": lambda run_id: "action:ledger.refund",
    "the agent": lambda run_id: AGENT,
    "the run": lambda run_id: f"run:{run_id}",
}

OTHERS = ["workflow:refund", "action:access.grant", "agent:somebody-else"]


def stop(desk: Desk, scope: str) -> uuid.UUID:
    return api.stop(reviewer(desk.people.otto), "Something is odd.", scope=scope)


def go_on(desk: Desk, scope: str) -> None:
    if scope == "everything":
        all_go_on(desk.people)
    else:
        assert api.go_on(reviewer(desk.people.otto), "It was nothing.", scope=scope)


@pytest.mark.parametrize("scope", SCOPES)
def test_in_its_scope_nothing_is_approved_nothing_fires_and_all_goes_on_after_it(
    desk: Desk, scope: str
) -> None:
    undecided = desk.propose_refund()
    approved = desk.approved_refund(order := desk.purchase())
    held = {SCOPES[scope](undecided.run_id), SCOPES[scope](approved.run_id)}
    for each in held:
        stop(desk, each)

    with pytest.raises(Stopped):
        desk.approve(undecided)
    desk.work(approved.run_id)
    run = desk.run(approved.run_id)
    assert (run.status, run.reason_code) == ("paused", "stop")
    assert desk.ledger.movements(order) == 0
    assert approved.run_id not in sweeper.run_once().runs

    for each in held:
        go_on(desk, each)
    assert approved.run_id in sweeper.run_once().runs
    desk.work(approved.run_id)
    desk.approve(desk.proposal(approved.run_id))
    desk.work(approved.run_id)
    assert desk.ledger.movements(order) == 1


@pytest.mark.parametrize("scope", OTHERS)
def test_beside_its_scope_everything_goes_on(desk: Desk, scope: str) -> None:
    stop(desk, scope)
    desk.work(desk.approved_refund(order := desk.purchase()).run_id)
    assert desk.ledger.movements(order) == 1


def test_a_stop_for_another_run_holds_only_that_one(desk: Desk) -> None:
    held, free = desk.approved_refund(), desk.approved_refund()
    stop(desk, f"run:{held.run_id}")
    for proposal in (held, free):
        desk.work(proposal.run_id)
    assert desk.run(held.run_id).reason_code == "stop"
    assert Effect.objects.get(run_id=free.run_id).committed_at is not None


@pytest.mark.parametrize("scope", SCOPES)
def test_it_holds_between_prepare_and_the_gate(desk: Desk, scope: str) -> None:
    proposal = desk.approved_refund(order := desk.purchase())

    with just_before("intend_effect", lambda: stop(desk, SCOPES[scope](proposal.run_id))):
        desk.work(proposal.run_id)

    assert desk.ledger.movements(order) == 0
    assert Effect.objects.get().outcome == "not_sent"
    assert desk.run(proposal.run_id).reason_code == "stop"


def test_two_scopes_at_once_hold_until_both_are_lifted(desk: Desk) -> None:
    proposal = desk.propose_refund()
    for scope in ("workflow:agent", "everything"):
        stop(desk, scope)
    go_on(desk, "everything")
    with pytest.raises(Stopped):
        desk.approve(proposal)
    go_on(desk, "workflow:agent")
    desk.approve(proposal)
    assert Proposal.objects.get().status == "approved"


def test_a_scope_is_stopped_once_and_lifted_once(desk: Desk) -> None:
    stop(desk, "workflow:agent")
    with pytest.raises(Conflict, match="in force already"):
        stop(desk, "workflow:agent")
    with pytest.raises(Conflict, match="no stop"):
        go_on(desk, "everything")
    go_on(desk, "workflow:agent")
    with pytest.raises(Conflict, match="no stop"):
        go_on(desk, "workflow:agent")


@pytest.mark.parametrize(
    "scope",
    [
        *("", "all", "workflow:", "workflow:refnud", "action:ledger", "agent:", "group:x"),
        *("run:1", f"run:{uuid.UUID(int=7)}"),
    ],
)
def test_a_scope_that_would_stop_nothing_is_refused(desk: Desk, scope: str) -> None:
    with pytest.raises(BadInput) as refused:
        stop(desk, scope)
    assert refused.value.path == "$.scope"


def test_the_receipt_tells_only_of_what_is_in_scope(desk: Desk) -> None:
    held, free = desk.approved_refund(), desk.approved_refund()
    placed: list[uuid.UUID] = []

    with just_before("record_effect", lambda: placed.append(stop(desk, f"run:{held.run_id}"))):
        desk.work(held.run_id)
    desk.work(free.run_id)

    receipt = api.halt_receipt(placed[0])
    assert receipt["scope"] == f"run:{held.run_id}"
    assert [effect["run_id"] for effect in receipt["effects"]] == [str(held.run_id)]
    assert [effect["told"] for effect in receipt["effects"]] == ["done"]
    assert receipt["runs"] == 1


def test_who_may_not_stop_everything_may_not_stop_a_part_of_it(desk: Desk) -> None:
    with pytest.raises(NotPermitted):
        api.stop(reviewer(desk.people.rosa), "I would like to.", scope="workflow:agent")
