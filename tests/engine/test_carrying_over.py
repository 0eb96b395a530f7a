"""Code changes while runs are alive: a registered function takes them along."""

import json
from typing import Any
from unittest.mock import patch

import pytest

from engine import actions, api, sweeper, worker
from engine.actions import ActionArguments, Secret
from engine.errors import Incompatible
from engine.models import Decision, Effect
from engine.workflows import Context, Next, Workflow, finish
from tests.cast import reviewer
from tests.engine.carrying import (
    MODEL,
    as_it_was,
    await_goods,
    begun,
    carried,
    done,
    made,
    patience_runs_out,
    versions_of,
)
from tests.engine.newer import (
    newer_action,
    newer_code,
    newer_workflow,
    without_action,
    without_workflow,
)
from tests.engine.target import Make, Target, approved, asked_for, dies_after, known
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.faults.outages import Died
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> Target:
    return known(monkeypatch)


class TestAProposalThatIsAlive:
    @pytest.mark.parametrize(("was_approved", "ends_as"), [(False, "superseded"), (True, "lapsed")])
    def test_is_void_and_asked_anew(
        self, was_approved: bool, ends_as: str, desk: Desk, target: Target
    ) -> None:
        run_id = begun(desk, old := made())
        first = desk.proposal(run_id)
        if was_approved:
            desk.approve(first)
        carried(old)
        desk.database.execute("UPDATE engine_run SET wake_at = now() WHERE run_id = %s", run_id)
        desk.work(run_id)

        assert versions_of(run_id) == [(1, ends_as), (2, "open")]
        assert desk.run(run_id).workflow_version == 2
        assert target.made == []
        again = desk.proposal(run_id)
        assert again.proposal_id == first.proposal_id
        assert again.idempotency_key != first.idempotency_key
        terms = json.loads(bytes(again.terms))
        assert terms["carried_over"] == [{"what": "workflow:made", "was": "1", "now": "2"}]
        assert terms["workflow"] == "made v2"
        assert not Decision.objects.filter(proposal_id=again.pk).exists()

        desk.approve(again)
        desk.work(run_id)
        assert target.made == ["a lamp"]
        assert desk.run(run_id).status == "completed"
        assert_tables_match_the_log(desk.database, run_id)

    def test_is_void_though_its_effect_was_prepared(self, desk: Desk, target: Target) -> None:
        run_id = begun(desk, old := made())
        desk.approve(desk.proposal(run_id))
        with just_before("prepare_effect", lambda: carried(old)):
            desk.work(run_id)

        assert versions_of(run_id) == [(1, "lapsed"), (2, "open")]
        effect = Effect.objects.get(run_id=run_id)
        assert (effect.status, effect.outcome, effect.first_sent_at) == ("failed", "not_sent", None)
        assert target.calls == 0
        assert_tables_match_the_log(desk.database, run_id)

    def test_is_carried_with_its_action(self, desk: Desk, target: Target) -> None:
        run_id = approved(desk, "a lamp")
        with newer_code():
            newer_action(Make, {1: lambda old: {**old, "size": "small"}})
            desk.work(run_id)
            again = desk.proposal(run_id)
            assert versions_of(run_id) == [(1, "lapsed"), (2, "open")]
            assert (again.action_version, again.arguments) == (
                2,
                b'{"size":"small","thing":"a lamp"}',
            )
            desk.approve(again)
            desk.work(run_id)
        assert target.things == {"a lamp": "small"}
        assert_tables_match_the_log(desk.database, run_id)

    def test_keeps_its_secrets(self, desk: Desk, target: Target) -> None:
        class Arguments(ActionArguments):
            thing: str
            size: str = "large"
            code: Secret

        without_action(Make)
        safe = actions.register(type("Make", (Make,), {"version": 2, "Arguments": Arguments}))
        run_id = approved(desk, "a safe", code="correct horse")
        sent = []
        newer_action(
            safe,
            {2: lambda old: {**old, "thing": "a safer safe"}},
            execute=lambda self, args, **key: sent.append(args.code) or Make().execute(args, **key),
        )
        desk.work(run_id)
        desk.approve(desk.proposal(run_id))
        desk.work(run_id)

        assert sent == ["correct horse"]
        assert all(b"correct horse" not in bytes(e["payload"]) for e in desk.database.log(run_id))
        assert target.made == ["a safer safe"]

    def test_is_not_asked_anew_where_the_new_graph_stands_elsewhere(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = begun(desk, old := made())
        desk.approve(desk.proposal(run_id))
        carried(old, lambda node, state: ("done", state))
        desk.work(run_id)

        assert versions_of(run_id) == [(1, "lapsed")]
        assert (desk.run(run_id).status, target.made) == ("completed", [])
        assert_tables_match_the_log(desk.database, run_id)


def test_what_is_large_goes_along(desk: Desk, target: Target) -> None:
    """It is read for the carry-over, and stands beside the log again afterwards."""
    old = made()
    run_id = desk.start_run(old.name, thing="a lamp", manual="x" * 60_000)
    desk.work(run_id)
    seen = []

    def renamed(node: str, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        seen.append(len(state["manual"]))
        return node, {"thing": state["thing"], "book": state["manual"] + "y"}

    carried(old, renamed)
    sweeper.run_once()
    desk.work(run_id)

    assert seen == [60_000]
    assert max(len(event["payload"]) for event in desk.database.log(run_id)) < 40_000
    assert versions_of(run_id) == [(1, "superseded"), (2, "open")]
    assert_tables_match_the_log(desk.database, run_id)


def test_a_fork_of_a_run_of_gone_code_is_carried_on_like_its_origin(
    desk: Desk, target: Target
) -> None:
    run_id = begun(desk, old := made())
    otto = reviewer(desk.people.otto)
    newer = newer_workflow(old)
    with pytest.raises(Incompatible):
        api.fork_run(run_id, 1, operator=otto, reason="Once more.")
    newer.carries_over(from_version=1, to=["ask"])(as_it_was)
    fork = api.fork_run(run_id, 1, operator=otto, reason="Once more.")
    desk.work(fork)
    assert desk.run(fork).workflow_version == 2
    assert versions_of(fork) == [(1, "open")]


class TestWhatWasBegun:
    def test_is_settled_first_with_the_version_that_it_was_sent_with(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = begun(desk, old := made())
        desk.approve(desk.proposal(run_id))
        target.behaves.append(dies_after)
        with pytest.raises(Died):
            desk.work(run_id)
        carried(old)
        desk.work_on_after_waiting(run_id)

        kinds = desk.database.kinds(run_id)
        assert kinds.index("effect_committed") < kinds.index("versions_carried_over")
        assert (target.made, desk.run(run_id).status) == (["a lamp"], "completed")
        assert versions_of(run_id) == [(1, "approved")]

    def test_the_door_itself_waits_for_it(self, desk: Desk, target: Target) -> None:
        """A worker that would carry the run over before it knows what happened is refused."""
        run_id = begun(desk, old := made())
        desk.approve(desk.proposal(run_id))
        target.behaves.append(dies_after)
        with pytest.raises(Died):
            desk.work(run_id)
        carried(old)
        with patch.object(worker.versions, "ASKS_THE_CODE", {"reconcile"}):
            desk.work_on_after_waiting(run_id)

        assert "versions_carried_over" not in desk.database.kinds(run_id)
        assert Effect.objects.get(run_id=run_id).status == "executing"

    def test_waits_for_a_person_when_that_version_is_gone(self, desk: Desk, target: Target) -> None:
        run_id = approved(desk, "a lamp")
        target.behaves.append(dies_after)
        with pytest.raises(Died):
            desk.work(run_id)
        with newer_code():
            newer_action(Make)
            said = patience_runs_out(desk, run_id)
        assert "no version 1 of the action 'thing.make'" in said
        assert Effect.objects.get(run_id=run_id).status == "executing"
        assert (target.calls, target.asked) == (1, 0)

        api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="It is here again.")
        desk.work(run_id)
        assert Effect.objects.get(run_id=run_id).committed_at is not None
        assert target.calls == 1

    def test_a_wait_is_over_before_its_run_is_carried_on(self, desk: Desk) -> None:
        """What had come is still there for the node that waited for it, whatever that is called."""
        seen = []
        old = Workflow("awaited", start="await_goods")
        old.node(to=["done"])(await_goods)
        old.node(ends=True)(done)
        run_id = desk.start_run("awaited")
        desk.work(run_id)
        without_workflow("awaited")
        newer = Workflow("awaited", version=2, start="arrived")

        @newer.node(ends=True)
        def arrived(ctx: Context) -> Next:
            seen.append((ctx.event or {})["payload"])
            return finish()

        newer.carries_over(from_version=1, to=["arrived"])(lambda node, state: ("arrived", state))
        api.deliver_event("goods", "A-1", "p-1", {"parcels": 1}, sender="agent:warehouse")
        desk.work(run_id)

        assert (seen, desk.run(run_id).status) == ([{"parcels": 1}], "completed")
        assert_tables_match_the_log(desk.database, run_id)


class TestTheSweep:
    """Nobody is left to decide what falls in any case."""

    def test_wakes_what_waits_for_a_decision(self, desk: Desk, target: Target) -> None:
        of_a_graph = begun(desk, old := made(stands_on=MODEL))
        of_an_agent = asked_for(desk, "a cup")
        assert sweeper.run_once().outdated == 0
        carried(old, stands_on=MODEL)
        newer_action(Make)

        swept = sweeper.run_once()
        assert swept.outdated == 2
        assert set(swept.runs) == {of_a_graph, of_an_agent}
        for run_id in swept.runs:
            desk.work(run_id)
            assert versions_of(run_id) == [(1, "superseded"), (2, "open")]
        assert sweeper.run_once().outdated == 0

    def test_wakes_what_stands_on_another_model(self, desk: Desk, target: Target) -> None:
        run_id = begun(desk, graph := made(stands_on=MODEL))
        graph.stands_on = {"model:triage": "m-2026-09"}
        graph.replaces("model:triage", "m-2026-01")
        assert sweeper.run_once().outdated == 0
        graph.replaces("model:triage", "m-2026-05")
        assert sweeper.run_once().outdated == 1
        desk.work(run_id)
        assert versions_of(run_id) == [(1, "superseded"), (2, "open")]
