"""A run uses up no more than it may: asked before each node and at the gate, told in words."""

import uuid
from typing import Any

import pytest

from engine import api, eventlog
from engine.errors import BadInput, NotPermitted
from engine.workflows import Context, Next, Workflow, finish, go
from tests.cast import AGENT, reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk


def thinking(tokens: int = 0, money: str = "0") -> str:
    """A workflow of three nodes, each of which says what it has used."""
    name = f"thinking-{uuid.uuid4()}"
    made = Workflow(name, start="first")

    @made.node(to=["second"])
    def first(ctx: Context) -> Next:
        ctx.spend("model", tokens=tokens, money=money)
        return go("second")

    @made.node(to=["third"])
    def second(ctx: Context) -> Next:
        ctx.spend("model", tokens=tokens, money=money)
        return go("third")

    @made.node(ends=True)
    def third(ctx: Context) -> Next:
        return finish()

    return name


def started(desk: Desk, workflow: str, **budget: Any) -> uuid.UUID:
    run_id = api.start_run(workflow, initiator=desk.people.agent, budget=budget)
    desk.work(run_id)
    return run_id


@pytest.mark.parametrize(
    ("used", "budget", "told"),
    [
        ({"tokens": 400}, {"max_tokens": 500}, "800 of 500 tokens"),
        ({"money": "0.30"}, {"max_money": "0.60"}, "0.60 of 0.60 money"),
        ({}, {"max_steps": 1}, "1 of 1 steps"),
    ],
)
def test_what_is_used_up_pauses_the_run_before_the_next_node(
    desk: Desk, used: dict[str, Any], budget: dict[str, Any], told: str
) -> None:
    run_id = started(desk, thinking(**used), **budget)

    run = desk.run(run_id)
    assert (run.status, run.reason_code) == ("paused", "budget_exhausted")
    paused = [e for e in desk.database.log(run_id) if e["kind"] == "run_paused"]
    assert told in bytes(paused[-1]["payload"]).decode()
    assert faults_in(desk.database, run_id) == []
    assert_tables_match_the_log(desk.database, run_id)


def test_within_its_budget_it_goes_on(desk: Desk) -> None:
    run_id = started(desk, thinking(tokens=400, money="0.30"), max_tokens=801, max_money="0.61")
    assert desk.run(run_id).status == "completed"


def test_an_operator_gives_more_and_it_goes_on(desk: Desk) -> None:
    run_id = started(desk, thinking(tokens=400), max_tokens=500)
    otto = reviewer(desk.people.otto)

    api.raise_budget(run_id, {"max_tokens": 1000}, operator=otto, reason="It is worth it.")
    desk.work(run_id)

    assert desk.run(run_id).status == "completed"
    assert desk.run(run_id).budget["max_tokens"] == 1000
    assert_tables_match_the_log(desk.database, run_id)


def test_what_is_told_twice_by_a_node_that_runs_again_counts_once(desk: Desk) -> None:
    name = f"again-{uuid.uuid4()}"
    made, calls = Workflow(name, start="first"), list[int]()

    @made.node(ends=True)
    def first(ctx: Context) -> Next:
        ctx.spend("model", tokens=400)
        calls.append(1)
        if len(calls) < 3:
            raise RuntimeError("The model's line is down.")
        return finish()

    run_id = started(desk, name, max_tokens=500)
    for _ in range(2):
        desk.work_on_after_waiting(run_id)

    assert desk.run(run_id).status == "completed"
    assert desk.database.kinds(run_id).count("budget_spent") == 1


def test_what_an_agent_tells_counts_and_its_next_request_waits(desk: Desk) -> None:
    run_id = api.start_run("agent", initiator=desk.people.agent, budget={"max_tokens": 100})
    said = {
        "action": "ledger.refund",
        "arguments": {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"},
        "why": "The lamp arrived broken.",
    }
    api.request_effect(run_id, agent=AGENT, **said, spent={"tokens": 150, "money": "0.10"})  # type: ignore[arg-type]
    desk.work(run_id)
    assert desk.run(run_id).reason_code == "budget_exhausted"
    assert "proposal_opened" not in desk.database.kinds(run_id)


@pytest.mark.parametrize(
    ("budget", "path"),
    [
        ({"max_cakes": 1}, "$.budget.max_cakes"),
        ({"max_steps": 1_000_000}, "$.budget.max_steps"),
        ({"max_effects": 101}, "$.budget.max_effects"),
        ({"max_tokens": -1}, "$.budget.max_tokens"),
        ({"max_tokens": True}, "$.budget.max_tokens"),
        ({"max_tokens": "5"}, "$.budget.max_tokens"),
        ({"max_money": 5}, "$.budget.max_money"),
        ({"max_money": "5,00"}, "$.budget.max_money"),
        ({"max_seconds": 2**53}, "$.budget.max_seconds"),
    ],
)
def test_a_budget_that_there_is_not_is_refused(
    desk: Desk, budget: dict[str, Any], path: str
) -> None:
    with pytest.raises(BadInput) as refused:
        api.start_run("agent", initiator=desk.people.agent, budget=budget)
    assert refused.value.path == path


def test_only_operators_give_more(desk: Desk) -> None:
    run_id, rosa = desk.start_run(), reviewer(desk.people.rosa)
    with pytest.raises(NotPermitted):
        api.raise_budget(run_id, {"max_tokens": 1}, operator=rosa, reason="Please.")


class Watch:
    """What the worker measures its work by, put forward by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    made = Watch()
    monkeypatch.setattr(eventlog, "time", made)
    return made


def test_seconds_in_which_a_worker_works_count(desk: Desk, watch: Watch) -> None:
    name = f"slow-{uuid.uuid4()}"
    made = Workflow(name, start="first")

    @made.node(to=["second"])
    def first(ctx: Context) -> Next:
        watch.seconds += 7
        return go("second")

    @made.node(ends=True)
    def second(ctx: Context) -> Next:
        return finish()

    run_id = started(desk, name, max_seconds=7)

    assert desk.run(run_id).reason_code == "budget_exhausted"
    assert api.position_at(run_id, desk.run(run_id).last_seq).budget["seconds"] == 7
    assert desk.run(started(desk, name, max_seconds=8)).status == "completed"


def test_time_that_it_waits_for_a_person_does_not_count(desk: Desk, watch: Watch) -> None:
    run_id = started(desk, "agent", max_seconds=5)
    watch.seconds += 100_000
    desk.ask_for_refund(run_id, desk.purchase())
    desk.work(run_id)
    assert desk.run(run_id).status == "waiting_approval"
    assert api.position_at(run_id, desk.run(run_id).last_seq).budget["seconds"] == 0
