"""Code changes while runs are alive, and nothing takes them along that works: a person is asked."""

from collections.abc import Callable
from typing import Any

import pytest

from engine import api
from tests.cast import reviewer
from tests.engine.carrying import (
    MODEL,
    as_it_was,
    begun,
    carried,
    made,
    patience_runs_out,
    told,
    versions_of,
)
from tests.engine.newer import newer_action, newer_code, newer_workflow
from tests.engine.target import Make, Target, approved, known
from tests.engine.together import just_before
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> Target:
    return known(monkeypatch)


class TestWithoutACarryOver:
    def test_the_run_waits_and_says_what_was_and_what_is(self, desk: Desk, target: Target) -> None:
        run_id = begun(desk, old := made(stands_on=MODEL))
        desk.approve(desk.proposal(run_id))
        newer = newer_workflow(old, stands_on={"model:triage": "m-2026-09"})
        assert "workflow:made was 1, this code has 2" in patience_runs_out(desk, run_id)
        assert desk.proposal(run_id).status == "approved"

        newer.carries_over(from_version=1, to=["ask"])(as_it_was)
        api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="Now it is said how.")
        detail = patience_runs_out(desk, run_id)
        assert detail.endswith("model:triage was m-2026-05, this code has m-2026-09.")
        assert target.made == []

        newer.replaces("model:triage", "m-2026-05")
        api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="And now this, too.")
        desk.work(run_id)
        assert desk.run(run_id).stands_on == {"model:triage": "m-2026-09"}
        assert versions_of(run_id) == [(1, "lapsed"), (2, "open")]

    def test_a_model_of_the_same_graph_is_a_difference_of_its_own(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = begun(desk, graph := made(stands_on=MODEL))
        graph.stands_on = {"prompt:triage": "4"}
        desk.approve(desk.proposal(run_id))
        said = patience_runs_out(desk, run_id)
        assert "model:triage was m-2026-05, this code has none" in said
        assert "prompt:triage was not named, this code has 4" in said

    @pytest.mark.parametrize(
        "broken",
        [
            lambda node, state: state["a field it never had"],
            lambda node, state: (node, {"at": object()}),
            lambda node, state: (node, [state]),
            lambda node, state: ("nowhere", state),
            lambda node, state: node,
        ],
        ids=["raises", "not storable", "no state", "no such node", "no pair"],
    )
    def test_c57_one_that_does_not_work_out_moves_nothing(
        self, broken: Callable[..., Any], desk: Desk, target: Target
    ) -> None:
        run_id = begun(desk, old := made())
        desk.approve(desk.proposal(run_id))
        carried(old, broken)
        assert "carry-over from version 1" in patience_runs_out(desk, run_id)
        run = desk.run(run_id)
        assert (run.workflow_version, run.current_node) == (1, "ask")
        assert versions_of(run_id) == [(1, "approved")]

    def test_arguments_that_the_newer_action_refuses_move_nothing(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = approved(desk, "a lamp")
        with newer_code():
            newer_action(Make, {1: lambda old: {**old, "colour": "red"}})
            assert "carry-over from version 1" in patience_runs_out(desk, run_id)
        assert versions_of(run_id) == [(1, "approved")]

    def test_what_the_function_does_to_the_state_it_was_given_is_nothing(
        self, desk: Desk, target: Target
    ) -> None:
        def careless(node: str, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
            state["times"] = state.get("times", 0) + 1
            return node, state

        run_id = begun(desk, old := made())
        carried(old, careless)
        with just_before("carry_over", lambda: desk.approve(desk.proposal(run_id))):
            desk.work_on_after_waiting(run_id)
            desk.database.execute("UPDATE engine_run SET wake_at = now()")
            desk.work(run_id)
        assert told(desk, run_id, "versions_carried_over")[0]["state"]["times"] == 1
        assert versions_of(run_id) == [(1, "lapsed"), (2, "open")]
