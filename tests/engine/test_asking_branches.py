"""What is asked of a run that has branched concerns its branches, too."""

import json
import uuid
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta

import pytest

from engine import api
from engine.branches import branch, leg
from engine.errors import Conflict, Stopped
from engine.models import Effect, Run
from engine.store import runs
from tests.cast import reviewer
from tests.engine.branches import HOUR, Branches, branched, branching, paying, two_refunds
from tests.engine.together import PATIENCE, alone, just_before, wait_for_waiting
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")

AT_ONCE = timedelta(microseconds=1)


def cancel(desk: Desk, run_id: uuid.UUID) -> None:
    api.cancel_run(run_id, operator=reviewer(desk.people.otto), reason="Not wanted any more.")


def pause(desk: Desk, run_id: uuid.UUID) -> None:
    api.pause_run(run_id, operator=reviewer(desk.people.otto), reason="Wait.")


def resume(desk: Desk, run_id: uuid.UUID) -> None:
    api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="Go on.")


def kinds(desk: Desk, run_id: uuid.UUID, kind: str) -> int:
    return desk.database.kinds(run_id).count(kind)


class TestCancelling:
    def test_ends_the_branches_first(self, desk: Desk) -> None:
        run = two_refunds(desk)
        cancel(desk, run.run_id)
        assert set(run.legs.values()) <= set(desk.database.hints)

        desk.work(run.run_id)
        assert run.status() == "waiting_external", "its branches have not ended"
        run.work()

        assert run.statuses() == {"lamp": "cancelled", "vase": "cancelled"}
        assert (run.status(), desk.run(run.run_id).reason_code) == ("cancelled", "operator")
        run.assert_sound()

    def test_waits_for_an_effect_of_a_branch_that_is_under_way(self, desk: Desk) -> None:
        """It was cancelled between the gate and the answer: what was begun is settled first."""
        run = two_refunds(desk)
        lamp = run.legs["lamp"]
        desk.approve(desk.proposal(lamp))
        with just_before("record_effect", lambda: cancel(desk, run.run_id)):
            desk.work(lamp)

        assert run.statuses()["lamp"] == "cancelled"
        assert Effect.objects.get().committed_at is not None
        desk.work(run.run_id)
        assert run.status() == "waiting_external"
        run.work()
        assert run.status() == "cancelled"
        run.assert_sound()

    def test_reaches_the_branches_of_branches(self, desk: Desk) -> None:
        pays = paying()
        said = branch({"x": leg(pays, {"order": desk.purchase()})}, then="joined", expires=HOUR)
        run = branched(desk, {"deep": leg(branching(said, "inner"))})
        desk.work(run.legs["deep"])
        deep = Branches(desk, run.legs["deep"])
        desk.work(deep.legs["x"])

        cancel(desk, run.run_id)
        deep.work()
        desk.work(run.run_id)

        assert (deep.statuses(), deep.status(), run.status()) == (
            {"x": "cancelled"},
            "cancelled",
            "cancelled",
        )

    def test_finds_a_run_that_is_just_branching(self, desk: Desk) -> None:
        said = branch({"x": leg(paying())}, then="joined", expires=HOUR)
        run_id = desk.start_run(branching(said))

        with just_before("begin_branches", lambda: cancel(desk, run_id)):
            desk.work(run_id)

        assert desk.run(run_id).status == "cancelled"
        assert not Run.objects.filter(parent_id=run_id).exists()

    def test_and_the_end_of_a_branch_wait_for_each_other_in_one_order(self, desk: Desk) -> None:
        """The branch has its own row when the run above has its own, and waits for the branch's."""
        run = two_refunds(desk)
        lamp = run.legs["lamp"]
        futures: list[Future[None]] = []
        desk.decide(desk.proposal(lamp), "reject")

        with ThreadPoolExecutor(2) as threads, desk.database.connected() as holder:

            def cancels() -> None:
                wait_for_waiting(desk.database, 1, "move_run")
                cancel(desk, run.run_id)

            def lets_go() -> None:
                wait_for_waiting(desk.database, 1, "ask_of_run")
                holder.rollback()

            def holds_its_next_event() -> None:
                holder.autocommit = False
                holder.execute(
                    "INSERT INTO engine_event (run_id, seq, kind, actor, at, payload_hash, hash)"
                    " SELECT run_id, last_seq + 1, 'late_answer', 'nobody', now(), head, head"
                    " FROM engine_run WHERE run_id = %s",
                    [lamp],
                )
                futures.extend(threads.submit(alone, act) for act in (cancels, lets_go))

            with just_before("run_ended", holds_its_next_event):
                assert desk.work(lamp).outcome == "completed"
            assert [one.result(PATIENCE) for one in futures] == [None, None]

        run.work()
        assert (run.status(), run.statuses()["lamp"]) == ("cancelled", "completed")
        run.assert_sound()

    def test_of_one_branch_leaves_the_others_alone(self, desk: Desk) -> None:
        run = two_refunds(desk)
        cancel(desk, run.legs["vase"])
        run.work()

        assert run.statuses() == {"lamp": "waiting_approval", "vase": "cancelled"}
        assert run.status() == "waiting_external"

    def test_does_not_end_a_run_whose_branch_lives(self, desk: Desk) -> None:
        """Whatever a worker believes: the door knows better."""
        run = two_refunds(desk)
        desk.database.execute("UPDATE engine_run SET wake_at = now() WHERE run_id = %s", run.run_id)
        before = desk.database.kinds(run.run_id)

        with just_before("park_for_branches", lambda: end_at_once(desk, run.run_id)):
            desk.work(run.run_id)

        assert "run_ended" not in desk.database.kinds(run.run_id)
        assert len(desk.database.kinds(run.run_id)) > len(before)


def end_at_once(desk: Desk, run_id: uuid.UUID) -> None:
    """A worker with the right token says that the run has ended."""
    found = desk.run(run_id)
    facts = b'{"status":"cancelled","reason_code":"operator","set":{}}'
    with pytest.raises(Conflict, match="still under way"):
        runs.move_run(run_id, found.lease_token, found.last_seq, "run_ended", "w", facts, None)


class TestPausing:
    def test_and_resuming_reaches_the_branches(self, desk: Desk) -> None:
        run = two_refunds(desk)
        pause(desk, run.run_id)
        run.work()
        assert set(run.statuses().values()) == {"paused"}
        assert run.status() == "paused"

        resume(desk, run.run_id)
        run.work()

        assert set(run.statuses().values()) == {"waiting_approval"}
        assert run.status() == "waiting_external"
        run.assert_sound()

    def test_that_no_worker_has_heeded_is_taken_back(self, desk: Desk) -> None:
        run = two_refunds(desk)
        pause(desk, run.run_id)
        desk.work(run.run_id)
        resume(desk, run.run_id)
        run.work()

        assert set(run.statuses().values()) == {"waiting_approval"}
        assert all(kinds(desk, one, "run_paused") == 0 for one in run.legs.values())
        run.assert_sound()

    def test_leaves_what_was_paused_for_itself_as_it_is(self, desk: Desk) -> None:
        """Who let one branch stand still lets it go on; so does the run for the other."""
        run = two_refunds(desk)
        pause(desk, run.legs["vase"])
        desk.work(run.legs["vase"])
        pause(desk, run.run_id)
        run.work()

        resume(desk, run.run_id)
        run.work()

        assert run.statuses() == {"lamp": "waiting_approval", "vase": "paused"}

    def test_does_not_let_go_on_what_a_person_has_to_look_at(self, desk: Desk) -> None:
        run = two_refunds(desk)
        lamp = run.legs["lamp"]
        desk.approve(desk.proposal(lamp))
        with just_before("intend_effect", desk.ledger.shut):
            desk.work(lamp)
        pause(desk, run.run_id)
        while desk.run(lamp).status != "paused":
            desk.work_on_after_waiting(lamp)
        desk.ledger.open()
        desk.work(run.run_id)
        assert desk.run(lamp).reason_code == "effect_unknown"

        resume(desk, run.run_id)
        run.work()

        assert (desk.run(lamp).status, desk.run(lamp).reason_code) == ("paused", "effect_unknown")


class TestWhenTheTimeIsUp:
    def test_the_branches_that_live_are_asked_to_end_and_the_run_goes_elsewhere(
        self, desk: Desk
    ) -> None:
        run = two_refunds(desk, otherwise="late", expires=AT_ONCE)
        run.approve("lamp")

        desk.work(run.run_id)
        assert run.status() == "waiting_external"
        assert kinds(desk, run.legs["lamp"], "cancel_requested") == 0
        run.work()

        assert run.statuses() == {"lamp": "completed", "vase": "cancelled"}
        ended = run.ended_with()
        assert ended["late"] is True
        assert ended["seen"]["lamp"]["state"]["paid"] is True
        assert kinds(desk, run.run_id, "branches_recalled") == 1
        run.assert_sound()

    def test_a_run_that_names_no_other_way_is_cancelled(self, desk: Desk) -> None:
        run = two_refunds(desk, expires=AT_ONCE)
        desk.work(run.run_id)
        run.work()

        assert (run.status(), desk.run(run.run_id).reason_code) == ("cancelled", "expired")
        run.assert_sound()

    def test_an_effect_under_way_is_waited_for(self, desk: Desk) -> None:
        run = two_refunds(desk, otherwise="late", expires=AT_ONCE)
        lamp = run.legs["lamp"]
        desk.approve(desk.proposal(lamp))
        with just_before("record_effect", lambda: desk.work(run.run_id)):
            desk.work(lamp)
        run.work()

        assert run.status() == "completed"
        assert Effect.objects.get().committed_at is not None
        assert run.ended_with()["seen"]["lamp"]["status"] == "cancelled"
        run.assert_sound()

    def test_branches_that_had_all_ended_before_were_in_time(self, desk: Desk) -> None:
        """However late a worker comes by."""
        run = two_refunds(desk, otherwise="late")
        run.approve("lamp")
        run.approve("vase")
        desk.database.execute("UPDATE engine_wait SET until = joinable_at + '1 ms'::interval")

        desk.work(run.run_id)

        assert "late" not in run.ended_with()


class TestAStop:
    @pytest.mark.parametrize("scope", ["run:{run}", "workflow:outer"])
    def test_of_the_run_is_one_of_its_branches(self, scope: str, desk: Desk) -> None:
        run, otto = two_refunds(desk), reviewer(desk.people.otto)
        desk.approve(desk.proposal(run.legs["vase"]))
        api.stop(otto, "Something is odd.", scope=scope.format(run=run.run_id))

        with pytest.raises(Stopped):
            desk.approve(desk.proposal(run.legs["lamp"]))
        desk.work(run.legs["vase"])

        assert desk.run(run.legs["vase"]).reason_code == "stop"
        assert not Effect.objects.filter(status="succeeded").exists()

    def test_of_a_branch_is_none_of_the_others(self, desk: Desk) -> None:
        run, otto = two_refunds(desk), reviewer(desk.people.otto)
        api.stop(otto, "Something is odd.", scope=f"run:{run.legs['vase']}")

        run.approve("lamp")

        assert run.statuses()["lamp"] == "completed"


class TestAFork:
    def fork(self, desk: Desk, run: Branches, kind: str, *, before: bool = False) -> uuid.UUID:
        log = desk.database.log(run.run_id)
        seq = max(event["seq"] for event in log if event["kind"] == kind) - before
        otto = reviewer(desk.people.otto)
        return api.fork_run(run.run_id, seq, operator=otto, reason="Once more.")

    @pytest.mark.parametrize("kind", ["branches_begun", "run_parked", "branches_joined"])
    def test_where_the_run_waits_for_its_branches_is_refused(self, kind: str, desk: Desk) -> None:
        run = two_refunds(desk)
        run.approve("lamp")
        run.reject("vase")
        desk.work(run.run_id)

        with pytest.raises(Conflict, match="before it branched"):
            self.fork(desk, run, kind)

    def test_before_it_branches_anew_and_tells_what_the_branches_did(self, desk: Desk) -> None:
        run = two_refunds(desk)
        run.approve("lamp")
        run.reject("vase")
        desk.work(run.run_id)

        new = self.fork(desk, run, "branches_begun", before=True)
        desk.work(new)
        again = Branches(desk, new)
        again.work()

        assert set(again.legs) == {"lamp", "vase"}
        assert not set(again.legs.values()) & set(run.legs.values())
        repeats = {name: repeated(desk, one) for name, one in again.legs.items()}
        assert repeats == {"lamp": [str(run.legs["lamp"])], "vase": []}

    def test_after_the_join_has_what_they_came_to_and_repeats_nothing(self, desk: Desk) -> None:
        run = two_refunds(desk)
        run.approve("lamp")
        run.reject("vase")
        desk.work(run.run_id)

        new = self.fork(desk, run, "run_moved")
        desk.work(new)

        assert Branches(desk, new).ended_with() == run.ended_with()
        assert not Run.objects.filter(parent_id=new).exists()

    def test_is_refused_while_an_effect_of_a_branch_is_unsettled(self, desk: Desk) -> None:
        run = two_refunds(desk)
        lamp = run.legs["lamp"]
        desk.approve(desk.proposal(lamp))

        def forks() -> None:
            with pytest.raises(Conflict, match="not settled"):
                self.fork(desk, run, "branches_begun", before=True)

        with just_before("record_effect", forks):
            desk.work(lamp)


def repeated(desk: Desk, run_id: uuid.UUID) -> list[str]:
    """The runs whose effects a run's proposal would repeat."""
    terms = json.loads(bytes(desk.proposal(run_id).terms))
    return [one["run"] for one in terms["repeats"]]
