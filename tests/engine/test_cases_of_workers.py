"""What went wrong elsewhere with leases, messages that come again, and recovery."""

import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.test import override_settings

from engine import api, clock, execution, leasing, lifecycle, sweeper, worker
from engine.errors import Conflict, Terminal, Unavailable
from engine.models import Decision, Effect
from engine.store import runs
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.rows import changed, everything_about
from tests.engine.target import Make, Target, approved, asked_for, known
from tests.engine.together import PATIENCE, alone, elsewhere, in_line_for, just_before, together
from tests.faults.processes import wait_until
from tests.pages.reading import Reader
from tests.world import Desk


@pytest.fixture
def target(monkeypatch: pytest.MonkeyPatch) -> Target:
    return known(monkeypatch)


def lease_of(desk: Desk, run_id: uuid.UUID) -> dict[str, Any]:
    (row,) = desk.database.rows(
        "SELECT lease_owner, lease_until, lease_token FROM engine_run WHERE run_id = %s", run_id
    )
    return row


class Held:
    """A call that takes until it is let go."""

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    def __call__(self, do: Callable[[], object]) -> object:
        self.begun.set()
        assert self.let_go.wait(PATIENCE)
        return do()


@override_settings(PLACET_LEASE_SECONDS=0.6)
def test_c34_a_call_that_outlives_many_leases_is_not_handed_to_another(
    desk: Desk, target: Target
) -> None:
    """Its message comes again and again; the sweep looks; the lease is renewed all the while."""
    run_id, held = approved(desk, "a report"), Held()
    target.behaves.append(held)

    def many_leases_have_passed() -> bool:
        assert run_id not in sweeper.run_once().runs
        assert worker.run_once(run_id, "other:2").outcome == "nothing to do"
        return time.monotonic() > begun + 6 * 0.6

    with ThreadPoolExecutor(1) as thread:
        working = thread.submit(alone, worker.run_once, run_id, "first:1")
        assert held.begun.wait(PATIENCE)
        begun = time.monotonic()
        wait_until("many leases have passed", many_leases_have_passed, PATIENCE)
        held.let_go.set()
        assert working.result(PATIENCE).outcome == "waiting_external"

    assert (target.made, target.calls) == (["a report"], 1)
    assert desk.database.kinds(run_id).count("effect_intended") == 1
    assert worker.run_once(run_id).outcome == "nothing to do"


@override_settings(PLACET_LEASE_SECONDS=0.4, PLACET_MARGIN_SECONDS=0.2)
def test_c34_a_worker_that_renews_no_more_is_followed_by_one_that_asks_before_it_sends(
    desk: Desk, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its heart stands still, not its call; whoever takes over sees that from the database."""
    run_id = approved(desk, "a report")

    def unreachable(*_: Any) -> bool:
        raise Unavailable("the connection was lost")

    def overtaken(do: Callable[[], object]) -> object:
        do()
        wait_until("the lease has lapsed", lambda: run_id in sweeper.run_once().runs, PATIENCE)
        elsewhere(lambda: worker.run_once(run_id, "other:2"))
        return None

    monkeypatch.setattr(Make, "call_seconds", 0.2)
    monkeypatch.setattr(runs, "renew_lease_if_held", unreachable)
    target.behaves.append(overtaken)
    assert worker.run_once(run_id, "first:1").outcome == "lease lost"

    assert (target.made, target.calls, target.asked) == (["a report"], 1, 1)
    kinds = desk.database.kinds(run_id)
    assert (kinds.count("run_claimed"), kinds[-1]) == (3, "late_answer")


def test_c37_two_workers_of_one_name_are_told_apart_by_their_tokens(
    desk: Desk, target: Target
) -> None:
    """The first stands still in its call; the second, of the same name, does the work."""
    run_id = approved(desk, "a lamp")
    before: list[Any] = []

    def overtaken(do: Callable[[], object]) -> object:
        desk.database.time_passes_for(run_id)
        desk.database.call_is_over_for(run_id)
        elsewhere(lambda: worker.run_once(run_id, "w0"))
        before.append(everything_about(desk.database, run_id))
        return do()

    target.behaves.append(overtaken)
    assert worker.run_once(run_id, "w0").outcome == "lease lost"

    after = everything_about(desk.database, run_id)
    assert changed(before[0], after) == ["late_answer"]
    assert target.made == ["a lamp"]
    assert Effect.objects.get().committed_at is not None


def test_c37_what_the_first_of_one_name_does_leaves_the_lease_of_the_second_alone(
    desk: Desk, target: Target
) -> None:
    """It beats, it writes, it gives the run back: all refused, by the number of its claim."""
    run_id = approved(desk, "a lamp")
    first = leasing.claim(run_id, "w0")
    assert first is not None
    desk.database.time_passes_for(run_id)
    second = leasing.claim(run_id, "w0")
    assert second is not None
    held = lease_of(desk, run_id)

    assert first[0].renew() is False
    assert runs.release_lease_if_held(run_id, first[0].token, 0.0) is False
    assert lease_of(desk, run_id) == held
    assert (held["lease_owner"], held["lease_token"]) == ("w0", second[0].token)


def test_c39_a_list_that_has_grown_old_gives_nobody_a_run(desk: Desk, target: Target) -> None:
    runs_of = [approved(desk, f"thing {number}") for number in range(5)]
    one, other = sweeper.run_once().runs, sweeper.run_once().runs
    assert set(one) == set(other) == set(runs_of)

    for run_id in one:
        worker.run_once(run_id, "one:1")
    late = [worker.run_once(run_id, "other:2").outcome for run_id in other]

    assert late == ["nothing to do"] * 5
    assert target.calls == len(target.made) == 5


def test_c39_two_recoveries_at_once_take_up_each_run_once(desk: Desk, target: Target) -> None:
    runs_of = [approved(desk, f"thing {number}") for number in range(5)]

    def recover() -> list[str]:
        return [worker.run_once(run_id).outcome for run_id in sweeper.run_once().runs]

    together([recover] * 3)

    assert target.calls == len(target.made) == 5
    kinds = [desk.database.kinds(run_id).count("effect_intended") for run_id in runs_of]
    assert kinds == [1] * 5


def test_c40_a_worker_of_the_same_name_keeps_no_dead_one_s_run(desk: Desk, target: Target) -> None:
    """It beats for what it has claimed itself; what the dead one left is found when it lapses."""
    dead_s, own = approved(desk, "the old"), approved(desk, "the new")
    assert leasing.claim(dead_s, "pod-0:1") is not None
    desk.database.time_passes_for(dead_s)

    beaten: list[Any] = []

    def beats(do: Callable[[], object]) -> object:
        (lease,) = leasing._keeper()._leases
        beaten.append((lease.run_id, lease.renew(), sweeper.run_once().runs))
        return do()

    target.behaves.append(beats)
    worker.run_once(own, "pod-0:1")
    assert beaten == [(own, True, (dead_s,))]
    for run_id in sweeper.run_once().runs:
        worker.run_once(run_id, "pod-0:1")

    assert sorted(target.made) == ["the new", "the old"]


@override_settings(PLACET_SWEEP_BATCH=3)
def test_c36_live_workers_are_never_taken_over_and_hide_no_dead_one(
    desk: Desk, target: Target
) -> None:
    """However long they have been at it, and however many they are: more than one sweep lists."""
    live = [approved(desk, f"thing {number}") for number in range(6)]
    dead = approved(desk, "left behind")
    for run_id in [*live, dead]:
        assert leasing.claim(run_id, "w:1") is not None
    desk.database.execute("UPDATE engine_run SET last_at = now() - interval '1 hour'")
    assert sweeper.run_once().runs == ()
    desk.database.time_passes_for(dead)

    assert sweeper.run_once().runs == (dead,)
    assert {worker.run_once(run_id).outcome for run_id in live} == {"nothing to do"}
    worker.run_once(dead)
    assert target.made == ["left behind"]


class Wrong(datetime):
    """A machine's clock that is off by so many seconds."""

    seconds = 0

    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return datetime.now(tz) + timedelta(seconds=cls.seconds)


@pytest.fixture(params=[30, -30, -3600], ids=str)
def wrong_clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (clock, execution, lifecycle):
        monkeypatch.setattr(module, "datetime", Wrong)
    monkeypatch.setattr(Wrong, "seconds", request.param)


@pytest.mark.usefixtures("wrong_clock")
def test_c41_a_worker_s_own_clock_has_no_part_in_a_lease(desk: Desk, target: Target) -> None:
    run_id = approved(desk, "a lamp")
    claims: list[Any] = []
    left: list[timedelta] = []

    def looked_at(do: Callable[[], object]) -> object:
        claims.append(elsewhere(lambda: leasing.claim(run_id, "other:2")))
        left.append(lease_of(desk, run_id)["lease_until"] - datetime.now(UTC))
        return do()

    target.behaves.append(looked_at)
    worker.run_once(run_id, "one:1")

    assert claims == [None]
    assert timedelta(seconds=20) < left[0] < timedelta(seconds=45)
    assert (target.made, target.calls) == (["a lamp"], 1)
    assert faults_in(desk.database, run_id) == []


@pytest.mark.usefixtures("wrong_clock")
def test_c41_nor_in_how_long_a_run_rests(desk: Desk, target: Target) -> None:
    """It is looked at again after a second, by whichever machine, and for as long as was said."""
    run_id = approved(desk, "a lamp")
    target.shows.extend([None, None])
    worker.run_once(run_id, "one:1")

    wake_at = desk.run(run_id).wake_at
    assert wake_at is not None
    assert timedelta(seconds=-1) < wake_at - datetime.now(UTC) < timedelta(seconds=2)
    Wrong.seconds = 0
    desk.work_on_after_waiting(run_id)
    assert Effect.objects.get().verification == "not_yet"
    desk.work_on_after_waiting(run_id)
    assert Effect.objects.get().committed_at is not None


class TestACancelAndAnApproval:
    def cancel(self, desk: Desk, run_id: uuid.UUID) -> None:
        otto = reviewer(desk.people.otto)
        api.cancel_run(run_id, operator=otto, reason="It is not wanted any more.")

    @pytest.mark.parametrize("first", ["cancel", "approve"])
    def test_c23_one_right_behind_the_other_end_in_nothing_done(
        self, first: str, desk: Desk, target: Target
    ) -> None:
        """No worker has called anything: whichever came first, the run is not wanted."""
        run_id = asked_for(desk, "a lamp")
        proposal = desk.proposal(run_id)
        desk.people.otto, desk.people.rosa  # noqa: B018 - both are there before it begins
        acts = [partial(self.cancel, desk, run_id), partial(desk.approve, proposal)]
        ordered = acts if first == "cancel" else acts[::-1]
        said = in_line_for(desk.database, run_id, ordered)
        assert said[0] is None
        desk.work(run_id)

        assert desk.run(run_id).status == "cancelled"
        assert (target.calls, Effect.objects.count()) == (0, 0)
        assert Decision.objects.count() == (said == [None, None])
        with pytest.raises((Conflict, Terminal)):
            desk.approve(proposal)
        assert faults_in(desk.database, run_id) == []

    def test_c23_at_once_fifty_times_have_one_order_each(self, desk: Desk, target: Target) -> None:
        desk.people.otto, desk.people.rosa  # noqa: B018 - both are there before it begins
        for _ in range(50):
            run_id = asked_for(desk, "a lamp")
            approve = partial(desk.approve, desk.proposal(run_id))
            together([partial(self.cancel, desk, run_id), approve])
            desk.work(run_id)
            assert desk.run(run_id).status == "cancelled"
            assert desk.database.kinds(run_id).count("cancel_requested") == 1
        assert target.calls == 0

    def test_c23_after_the_call_the_effect_is_told_and_its_way_back_offered(
        self, desk: Desk, target: Target
    ) -> None:
        run_id = approved(desk, "a lamp")
        desk.people.otto  # noqa: B018 - he is there before it begins
        with just_before("record_effect", partial(self.cancel, desk, run_id)):
            desk.work(run_id)

        assert desk.run(run_id).status == "cancelled"
        assert target.made == ["a lamp"]
        (step,) = api.preview_rollback(run_id).steps
        assert step.how == "machine"
        page = Reader(desk.people.otto).get(f"/runs/{run_id}/")
        assert "Make a lamp" in page.text
        assert f"/runs/{run_id}/rollback/" in page.html


def test_c22_the_same_call_twice_at_once_is_two_proposals_and_one_approval_does_one(
    desk: Desk, target: Target
) -> None:
    run_id = desk.start_run()

    def press() -> uuid.UUID:
        return api.request_effect(
            run_id,
            agent="agent:refund-desk",
            action="thing.make",
            arguments={"thing": "a door opened"},
            why="It is wanted.",
        )

    assert len(set(together([press, press]))) == 2
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    together([partial(worker.run_once, run_id)] * 4)
    desk.work(run_id)

    assert (target.made, target.calls) == (["a door opened"], 1)
    assert desk.run(run_id).status == "waiting_approval"
    assert desk.proposal(run_id).status == "open"
