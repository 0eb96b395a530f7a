"""A run branches into others, waits for all of them, and goes on with what each has come to."""

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings

from engine import api, leasing, sweeper, values
from engine.branches import branch, leg
from engine.errors import Conflict
from engine.models import Run
from engine.store import branches
from engine.workflows import Context, Next, Workflow, finish, go
from tests.cast import reviewer
from tests.engine.branches import HOUR, Branches, branched, branching, started, two_refunds
from tests.engine.together import PATIENCE, alone, just_before, wait_for_waiting
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


def ending(name: str = "ends") -> str:
    """A workflow that ends at once, and says what it was given."""
    ends = Workflow(name, start="only")

    def only(ctx: Context) -> Next:
        return finish(given=ctx.state)

    ends.node(ends=True)(only)
    return name


class TestEachBranch:
    def test_is_decided_by_itself_and_the_run_goes_on_with_all(self, desk: Desk) -> None:
        run = two_refunds(desk)
        assert run.status() == "waiting_external"
        assert run.statuses() == {"lamp": "waiting_approval", "vase": "waiting_approval"}

        run.approve("lamp")
        assert desk.work(run.run_id).outcome == "nothing to do"
        run.reject("vase")
        desk.work(run.run_id)

        assert run.status() == "completed"
        seen = run.ended_with()["seen"]
        assert seen["lamp"]["run_id"] == str(run.legs["lamp"])
        assert [seen[name]["status"] for name in ("lamp", "vase")] == ["completed", "completed"]
        assert [seen[name]["state"]["paid"] for name in ("lamp", "vase")] == [True, False]
        run.assert_sound()

    def test_is_a_run_of_whoever_started_the_one_above(self, desk: Desk) -> None:
        run = two_refunds(desk)

        above = desk.run(run.run_id)
        for branch_id in run.legs.values():
            found = desk.run(branch_id)
            assert (found.parent_id, found.labels) == (above.run_id, above.labels)
            assert (found.initiator, found.initiator_person_id) == (
                above.initiator,
                above.initiator_person_id,
            )
        proposal = desk.proposal(run.legs["lamp"])
        assert api.why_not_decide(reviewer(desk.people.tomas), proposal.pk)
        assert api.why_not_decide(reviewer(desk.people.rosa), proposal.pk) is None

    def test_is_not_decided_by_who_forked_the_run_above(self, desk: Desk) -> None:
        """Rosa may operate, too: what she has begun again is for others to decide."""
        run = two_refunds(desk)
        desk.people.rosa.groups.add(desk.people.otto.groups.get())
        rosa = reviewer(desk.people.rosa)
        new = api.fork_run(run.run_id, 1, operator=rosa, reason="Once more.")
        desk.work(new)
        again = Branches(desk, new)
        again.work()

        proposal = desk.proposal(again.legs["lamp"])
        assert api.why_not_decide(rosa, proposal.pk)

    def test_ends_as_it_will_and_the_run_is_told_how(self, desk: Desk) -> None:
        run = two_refunds(desk)
        otto = reviewer(desk.people.otto)
        api.cancel_run(run.legs["vase"], operator=otto, reason="Not this one.")
        run.approve("lamp")
        run.work()

        seen = run.ended_with()["seen"]
        assert (seen["vase"]["status"], seen["vase"]["reason_code"]) == ("cancelled", "operator")

    def test_may_branch_itself(self, desk: Desk) -> None:
        inner = branching(branch({"x": leg(ending())}, then="joined", expires=HOUR), "inner")
        run = branched(desk, {"deep": leg(inner)})
        desk.work(run.legs["deep"])
        deep = Branches(desk, run.legs["deep"])
        deep.work()

        desk.work(run.run_id)

        assert run.status() == "completed"
        assert run.ended_with()["seen"]["deep"]["state"]["seen"]["x"]["status"] == "completed"
        deep.assert_sound()


class TestTheNode:
    def test_after_the_join_finds_them_and_later_ones_do_not(self, desk: Desk) -> None:
        outer = Workflow("twice", start="first")
        ends = ending()

        def first(ctx: Context) -> Next:
            return branch({"x": leg(ends, ctx.state)}, then="second", expires=HOUR)

        def second(ctx: Context) -> Next:
            return go("third", found=(ctx.branches or {})["x"]["state"])

        def third(ctx: Context) -> Next:
            return finish(later=ctx.branches)

        outer.node(to=["second"])(first)
        outer.node(to=["third"])(second)
        outer.node(ends=True)(third)
        run_id = desk.start_run("twice", n=1)
        desk.work(run_id)
        run = Branches(desk, run_id)
        run.work()

        assert run.ended_with() == {"later": None}
        state = api.position_at(run_id, desk.run(run_id).last_seq).state
        assert state["found"] == {"n": 1, "given": {"n": 1}}

    @pytest.mark.parametrize(
        ("workflow", "why"),
        [("nothing", "There is no workflow"), ("agent", "not one to branch into")],
    )
    def test_that_names_no_workflow_to_branch_into_fails_and_nothing_is_begun(
        self, workflow: str, why: str, desk: Desk
    ) -> None:
        said = branch({"ok": leg(ending()), "x": leg(workflow)}, then="joined", expires=HOUR)
        run_id = started(desk, said)

        desk.work(run_id)

        assert desk.database.kinds(run_id)[-1] == "node_failed"
        assert why in bytes(desk.database.log(run_id)[-1]["payload"]).decode()
        assert not Run.objects.filter(parent_id=run_id).exists()

    def test_that_would_go_in_circles_fails(self, desk: Desk) -> None:
        """Below itself a workflow would branch without an end."""
        inner = branching(branch({"x": leg("outer")}, then="joined", expires=HOUR), "inner")
        run = branched(desk, {"x": leg(inner)})

        desk.work(run.legs["x"])

        assert desk.database.kinds(run.legs["x"])[-1] == "node_failed"
        assert not Run.objects.filter(parent_id=run.legs["x"]).exists()

    @override_settings(PLACET_MAX_BRANCHES=2)
    def test_may_not_name_too_many(self) -> None:
        legs = {name: leg("ends") for name in "abc"}
        with pytest.raises(ValueError, match="1 to 2 runs"):
            branch(legs, then="joined", expires=HOUR)

    @pytest.mark.parametrize("name", ["", "a b", "ä"])
    def test_may_not_name_them_anyhow(self, name: str) -> None:
        with pytest.raises(ValueError, match="no name for a branch"):
            branch({name: leg("ends")}, then="joined", expires=HOUR)

    def test_says_how_long_it_waits(self) -> None:
        with pytest.raises(ValueError, match="expiry"):
            branch({"a": leg("ends")}, then="joined", expires=timedelta())


class TestTheJoin:
    def test_hands_on_what_a_branch_was_given_and_came_to_however_large(self, desk: Desk) -> None:
        large = {"text": "ä" * 50_000}
        run = branched(desk, {"x": leg(ending(), {"large": large})})
        run.work()

        joined = desk.database.log(run.run_id)[-3]
        assert joined["kind"] == "branches_joined"
        assert len(bytes(joined["payload"])) < 10_000
        (seen,) = values.opened(run.ended_with()["seen"]).values()
        assert seen["state"]["given"]["large"] == large
        run.assert_sound()

    def test_reads_what_a_branch_came_to_from_its_log_where_a_checkpoint_was_altered(
        self, desk: Desk
    ) -> None:
        run = branched(desk, {"x": leg(ending(), {"n": 1})})
        desk.work(run.legs["x"])
        altered = desk.database.execute(
            "UPDATE engine_checkpoint SET state_snapshot = replace(state_snapshot, '1', '2')"
            " WHERE run_id = %s",
            run.legs["x"],
        )
        assert altered

        desk.work(run.run_id)

        assert run.ended_with()["seen"]["x"]["state"]["given"] == {"n": 1}

    def test_is_not_before_the_last_branch_has_ended(self, desk: Desk) -> None:
        run = two_refunds(desk)
        run.approve("lamp")

        assert desk.work(run.run_id).outcome == "nothing to do"
        assert run.run_id not in sweeper.run_once().runs

    def test_is_refused_at_the_door_while_a_branch_lives(self, desk: Desk) -> None:
        """Whatever a worker believes."""
        run = two_refunds(desk)
        desk.database.execute("UPDATE engine_run SET wake_at = now() WHERE run_id = %s", run.run_id)
        case = leasing.claim(run.run_id, "one:1")
        assert case is not None
        last = desk.run(run.run_id).last_seq

        with pytest.raises(Conflict, match="still under way"):
            branches.join_branches(run.run_id, case[0].token, last, "w", b"{}", None)

    def test_is_hinted_at_by_the_last_branch(self, desk: Desk) -> None:
        run = two_refunds(desk)
        run.approve("lamp")
        assert run.run_id not in desk.database.hints[-1:]

        run.approve("vase")

        assert desk.database.hints[-1] == run.run_id

    def test_is_found_by_the_sweep_when_the_hint_is_lost(self, desk: Desk) -> None:
        run = two_refunds(desk)
        run.approve("lamp")
        run.approve("vase")

        assert run.run_id in sweeper.run_once().runs

        desk.work(run.run_id)
        assert run.status() == "completed"
        assert run.run_id not in sweeper.run_once().runs

    def test_does_not_wait_when_the_last_branch_ends_right_before_the_run_parks(
        self, desk: Desk
    ) -> None:
        said = branch({"x": leg(ending())}, then="joined", expires=HOUR)
        run_id = started(desk, said)

        def ends() -> None:
            (child,) = Run.objects.filter(parent_id=run_id)
            desk.work(child.run_id)

        with just_before("park_for_branches", ends):
            desk.work(run_id)

        assert desk.run(run_id).status == "completed"
        assert "run_parked" not in desk.database.kinds(run_id)

    def test_comes_when_the_last_branch_ends_while_the_run_parks(self, desk: Desk) -> None:
        """The end is being written down, not committed yet: so the run parks, and is found."""
        said = branch({"x": leg(ending())}, then="joined", expires=HOUR)
        run_id = started(desk, said)

        with ThreadPoolExecutor(1) as thread, holding_the_wait(desk, run_id) as held:

            def begins_to_end() -> None:
                held()
                (child,) = Run.objects.filter(parent_id=run_id)
                ends.append(thread.submit(alone, desk.work, child.run_id))
                wait_for_waiting(desk.database, 1)

            ends: list[Future[Any]] = []
            with just_before("park_for_branches", begins_to_end):
                assert desk.work(run_id).outcome == "waiting_external"
        assert ends[0].result(PATIENCE).outcome == "completed"

        assert desk.database.hints[-1] == run_id
        assert run_id in sweeper.run_once().runs
        desk.work(run_id)
        assert desk.run(run_id).status == "completed"

    def test_comes_when_two_branches_end_at_the_same_instant(self, desk: Desk) -> None:
        """Each is about to be the last, and neither end is committed: one is, after all."""
        ends = ending()
        run = branched(desk, {name: leg(ends) for name in ("a", "b")})
        with ThreadPoolExecutor(2) as threads:
            with holding_the_wait(desk, run.run_id) as held:
                held()
                both = [threads.submit(alone, desk.work, one) for one in run.legs.values()]
                wait_for_waiting(desk.database, 2, "move_run")
            assert {one.result(PATIENCE).outcome for one in both} == {"completed"}

        assert desk.database.hints.count(run.run_id) == 2, "at its start, and by one branch"
        assert run.run_id in sweeper.run_once().runs
        desk.work(run.run_id)
        assert run.status() == "completed"

    def test_waits_with_a_run_that_a_person_has_paused(self, desk: Desk) -> None:
        run, otto = two_refunds(desk), reviewer(desk.people.otto)
        api.pause_run(run.run_id, operator=otto, reason="Wait.")
        desk.work(run.run_id)
        for one in run.legs.values():
            api.cancel_run(one, operator=otto, reason="Enough.")
            desk.work(one)

        assert run.run_id not in sweeper.run_once().runs
        assert desk.work(run.run_id).outcome == "nothing to do"

        api.resume_run(run.run_id, reviewer=otto, reason="Go on.")
        desk.work(run.run_id)
        assert run.status() == "completed"
        run.assert_sound()


@contextmanager
def holding_the_wait(desk: Desk, run_id: uuid.UUID) -> Iterator[Callable[[], object]]:
    """Once told to, somebody else's transaction has the row of the run's wait until the end."""
    with desk.database.connected() as holder, holder.transaction():
        yield lambda: holder.execute(
            "SELECT 1 FROM engine_wait WHERE run_id = %s FOR UPDATE", [run_id]
        )
