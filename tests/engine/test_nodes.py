"""What an integrator's nodes do wrong while runs go on ends with a person, and nothing is lost."""

import json
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import override_settings

from engine import actions, api, workflows
from engine.models import Alert
from engine.workflows import Context, Next, Workflow, finish, go, propose
from tests.cast import reviewer
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


def ends(ctx: Context) -> Next:
    return finish()


def running(function: Callable[[Context], Any], *, to: list[str] | None = None) -> str:
    """A workflow whose first node is this function, and which may end or go `to` there."""
    made = Workflow("made", start="first")
    function.__name__ = "first"
    made.node(to=to or [], ends=True)(function)
    for name in to or []:
        node = type(ends)(ends.__code__, ends.__globals__, name)
        made.node(ends=True)(node)
    made.check()
    return "made"


class TestANode:
    @pytest.mark.parametrize(
        "said",
        [
            None,
            "second",
            {"go": "second"},
            go("elsewhere"),
            go("first"),
            propose("ledger.refund", {}, why="because", then="elsewhere"),
            propose("ledger.refund", {}, why="because", then="second", otherwise="elsewhere"),
        ],
        ids=repr,
    )
    def test_that_says_what_it_may_not_changes_nothing(self, said: Any, desk: Desk) -> None:
        run_id = desk.start_run(running(lambda ctx: said, to=["second"]))

        desk.work(run_id)

        assert desk.run(run_id).current_node == "first"
        assert desk.database.kinds(run_id)[-1] == "node_failed"
        assert not {"run_moved", "request_taken_up"} & set(desk.database.kinds(run_id))

    def test_that_fails_is_tried_again_later_each_time_and_then_a_person_is_asked(
        self, desk: Desk
    ) -> None:
        run_id = desk.start_run(running(fails))

        for _ in range(10):
            desk.work_on_after_waiting(run_id)

        run, (alert,) = desk.run(run_id), Alert.objects.all()
        assert (run.status, run.reason_code) == ("paused", "retries_exhausted")
        assert (alert.kind, alert.status) == ("retries_exhausted", "open")
        assert waits(desk, run_id) == [1, 2, 4, 8, 16]
        assert_tables_match_the_log(desk.database, run_id)

    def test_that_works_again_goes_on_where_it_was(self, desk: Desk) -> None:
        failures = iter([RuntimeError("once"), RuntimeError("twice")])

        def now_and_then(ctx: Context) -> Next:
            for failure in failures:
                raise failure
            return finish(done=True)

        run_id = desk.start_run(running(now_and_then))
        for _ in range(3):
            desk.work_on_after_waiting(run_id)

        assert desk.run(run_id).status == "completed"

    def test_that_was_given_up_goes_on_once_a_person_lets_it(self, desk: Desk) -> None:
        healed: list[bool] = []

        def first(ctx: Context) -> Next:
            if not healed:
                raise RuntimeError("not yet")
            return finish()

        run_id = desk.start_run(running(first))
        while desk.run(run_id).status != "paused":
            desk.work_on_after_waiting(run_id)
        healed.append(True)
        api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="It is mended.")
        desk.work(run_id)

        assert desk.run(run_id).status == "completed"

    def test_with_arguments_that_its_action_refuses_ends_with_a_person(self, desk: Desk) -> None:
        """A fault of the integrator's is not tried for ever."""
        bad = propose("ledger.refund", {"order": 7}, why="because", then="second")
        run_id = desk.start_run(running(lambda ctx: bad, to=["second"]))

        for _ in range(10):
            desk.work_on_after_waiting(run_id)

        assert desk.run(run_id).status == "paused"
        assert Alert.objects.filter(status="open").exists()

    def test_records_what_is_not_deterministic_once(self, desk: Desk) -> None:
        calls: list[str] = []

        def first(ctx: Context) -> Next:
            said = ctx.record("model", lambda: calls.append("asked") or f"answer {len(calls)}")
            if len(rounds) == 0:
                rounds.append(1)
                raise RuntimeError("after the model had answered")
            return finish(said=said)

        rounds: list[int] = []
        run_id = desk.start_run(running(first))
        desk.work(run_id)
        desk.work_on_after_waiting(run_id)

        assert calls == ["asked"]
        assert desk.run(run_id).status == "completed"
        ended = json.loads(desk.database.log(run_id)[-1]["payload"])
        assert ended["set"] == {"said": "answer 1"}

    @pytest.mark.parametrize("tries", [1, 3])
    def test_is_tried_as_often_as_it_says_before_a_person_is_asked(
        self, tries: int, desk: Desk
    ) -> None:
        made, calls = Workflow("made", start="first"), list[int]()

        @made.node(ends=True, tries=tries)
        def first(ctx: Context) -> Next:
            calls.append(1)
            raise RuntimeError("the line is down")

        run_id = desk.start_run("made")
        desk.work(run_id)
        while desk.run(run_id).status != "paused":
            desk.work_on_after_waiting(run_id)

        assert len(calls) == tries
        assert desk.run(run_id).reason_code == "retries_exhausted"

    def test_goes_round_no_more_often_than_its_budget(self, desk: Desk) -> None:
        made = Workflow("made", start="first")

        @made.node(to=["first"], ends=True)
        def first(ctx: Context) -> Next:
            return go("first")

        with override_settings(PLACET_BUDGET={"max_steps": 5, "max_effects": 1}):
            run_id = desk.start_run("made")
            desk.work(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("paused", "budget_exhausted")
        assert desk.database.kinds(run_id).count("run_moved") == 5


def fails(ctx: Context) -> Next:
    raise RuntimeError("out of order")


def waits(desk: Desk, run_id: uuid.UUID) -> list[int]:
    """Seconds that each failure made the run wait."""
    return [
        round(
            (datetime.fromisoformat(json.loads(e["payload"])["wake_at"]) - e["at"]).total_seconds()
        )
        for e in desk.database.log(run_id)
        if e["kind"] == "node_failed"
    ]


class TestCodeThatIsTooOld:
    """While newer code is rolled out a newer worker may come by; after that a person must."""

    @pytest.fixture(autouse=True)
    def no_patience(self, settings: Any) -> None:
        settings.PLACET_MAX_FAILURES = 1

    @pytest.fixture
    def newer(self) -> str:
        """Runs of this workflow were started by newer code than ours."""
        made = Workflow("made", version=2, start="first")
        made.node(ends=True)(ends_first())
        return "made"

    def test_pauses_a_run_of_a_version_that_it_does_not_know(self, newer: str, desk: Desk) -> None:
        run_id = desk.start_run(newer)
        workflows._registry[("made", 1)] = workflows._registry.pop(("made", 2))

        desk.work(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("paused", "incompatible_version")

    def test_pauses_a_run_of_a_name_that_it_does_not_know(self, newer: str, desk: Desk) -> None:
        run_id = desk.start_run(newer)
        del workflows._registry[("made", 2)]

        desk.work(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("paused", "incompatible_version")

    def test_waits_first_for_a_newer_worker_to_come_by(
        self, newer: str, desk: Desk, settings: Any
    ) -> None:
        settings.PLACET_MAX_FAILURES = 6
        run_id = desk.start_run(newer)
        known = workflows._registry.pop(("made", 2))
        desk.work(run_id)
        assert waits(desk, run_id) == [1]
        workflows._registry[("made", 2)] = known

        desk.work_on_after_waiting(run_id)

        assert desk.run(run_id).status == "completed"

    def test_c21_pauses_a_run_whose_action_it_does_not_know(self, desk: Desk) -> None:
        order = desk.purchase()
        proposal = desk.approved_refund(order)
        del actions._registry[("ledger.refund", 1)]

        desk.work(proposal.run_id)

        run = desk.run(proposal.run_id)
        assert (run.status, run.reason_code) == ("paused", "incompatible_version")
        assert desk.ledger.movements(order) == 0

    def test_c59_never_runs_the_newest_instead(self, newer: str, desk: Desk) -> None:
        """A run stays with the version that it was started under."""
        run_id = desk.start_run(newer)
        third = Workflow("made", version=3, start="other")
        third.node(ends=True)(ends_first("other"))

        desk.work(run_id)

        assert desk.run(run_id).workflow_version == 2
        assert desk.run(run_id).status == "completed"


def ends_first(name: str = "first") -> Callable[[Context], Next]:
    return type(ends)(ends.__code__, ends.__globals__, name)
