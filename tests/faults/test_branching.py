"""A real worker is killed at each boundary of branching and joining; another brings all runs to
their end.

The killing is done once for all points, and takes most of the time. The tests only look at what is
left.
"""

import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine import hints
from engine.models import Effect, Run
from oversight.embedded.processes import beat
from tests.engine.chain import faults_in
from tests.engine.stories_of_waits import recalled
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.processes import Worker, environment, wait_until
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("shared_desk")

Act = Callable[[Desk, uuid.UUID], None]


def branches_of(run_id: uuid.UUID) -> list[uuid.UUID]:
    found = Run.objects.filter(parent_id=run_id).order_by("branch")
    return list(found.values_list("run_id", flat=True))


def nothing(desk: Desk, run_id: uuid.UUID) -> None:
    """The run has been hinted at when it was started."""


def last_one_is_approved(desk: Desk, run_id: uuid.UUID) -> None:
    desk.approve(desk.proposal(branches_of(run_id)[-1]))


def time_is_up(desk: Desk, run_id: uuid.UUID) -> None:
    desk.database.time_passes_for(run_id)
    hints.hint(run_id)


def hinted(desk: Desk, run_id: uuid.UUID) -> None:
    hints.hint(run_id)


def claims(desk: Desk) -> list[dict[str, str]]:
    return [
        {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"} for _ in range(2)
    ]


def begun(desk: Desk) -> uuid.UUID:
    return desk.start_run("recall", claims=claims(desk))


def one_left(desk: Desk) -> uuid.UUID:
    """One of its branches has ended, the other waits for a decision."""
    run_id = recalled(desk)
    first, _ = branches_of(run_id)
    desk.approve(desk.proposal(first))
    desk.work(first)
    return run_id


def none_left(desk: Desk) -> uuid.UUID:
    run_id = one_left(desk)
    last_one_is_approved(desk, run_id)
    desk.work(branches_of(run_id)[-1])
    return run_id


POINTS: dict[str, tuple[Callable[[Desk], uuid.UUID], Act]] = {
    "branched": (begun, nothing),
    "ended": (one_left, last_one_is_approved),
    "joined": (none_left, hinted),
    "recalled": (one_left, time_is_up),
}
"""Where a worker is killed: how the run comes to stand right before, and what brings a worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """A run whose worker, or that of a branch of it, was killed."""

    run_id: uuid.UUID
    branches: list[uuid.UUID]
    status: str


@pytest.fixture(scope="module")
def crashes(
    shared_desk: Desk, quiet_servers, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Crash]:
    desk, folder = shared_desk, tmp_path_factory.mktemp("holds")
    env = environment(desk.database.url, desk.ledger.desk_url, quiet_servers.broker_url)
    crashed = {point: kill_one_at(point, desk, env, folder) for point in POINTS}
    with ExitStack() as stack:
        successor = Worker(env, folder)
        stack.callback(successor.kill)
        clock = beat({**env, "PLACET_SWEEP_SECONDS": "1"})
        stack.callback(clock.kill)
        decide_what_is_left(desk, crashed["branched"])
        for crash in crashed.values():
            wait_until("the run has ended", lambda at=crash: desk.run(at.run_id).ended_at)
    return crashed


def kill_one_at(point: str, desk: Desk, env: dict[str, str], folder: Path) -> Crash:
    stands_before, brings = POINTS[point]
    run_id = stands_before(desk)
    worker = Worker(env, folder, hold=point)
    try:
        brings(desk, run_id)
        worker.held()
    finally:
        worker.kill()
    return Crash(run_id=run_id, branches=branches_of(run_id), status=desk.run(run_id).status)


def decide_what_is_left(desk: Desk, crash: Crash) -> None:
    for branch in crash.branches:
        wait_until("somebody is asked", lambda at=branch: desk.run(at).status == "waiting_approval")
        desk.approve(desk.proposal(branch))


@pytest.mark.parametrize("point", POINTS)
class TestKilledAt:
    def test_the_run_has_the_branches_that_it_had_and_each_was_begun_once(
        self, point: str, crashes: dict[str, Crash], shared_desk: Desk
    ) -> None:
        crash = crashes[point]

        assert len(crash.branches) == 2
        assert branches_of(crash.run_id) == crash.branches
        kinds = shared_desk.database.kinds(crash.run_id)
        once = ("branches_begun", "branches_joined", "run_ended")
        assert [kinds.count(kind) for kind in once] == [1, 1, 1]
        assert kinds.count("branches_recalled") == (point == "recalled")

    def test_every_branch_has_ended_before_the_run_and_paid_at_most_once(
        self, point: str, crashes: dict[str, Crash], shared_desk: Desk
    ) -> None:
        crash = crashes[point]

        run = shared_desk.run(crash.run_id)
        branches = [shared_desk.run(branch) for branch in crash.branches]
        assert all(branch.ended_at < run.ended_at for branch in branches)
        effects = Effect.objects.filter(run_id__in=crash.branches)
        assert effects.count() == (1 if point == "recalled" else 2)
        assert all(effect.committed_at and effect.attempt == 1 for effect in effects)

    def test_the_logs_hold_and_the_tables_are_what_they_say(
        self, point: str, crashes: dict[str, Crash], shared_desk: Desk
    ) -> None:
        crash = crashes[point]

        for run_id in (crash.run_id, *crash.branches):
            assert faults_in(shared_desk.database, run_id) == []
            if point != "recalled":  # its time was put forward by hand
                assert_tables_match_the_log(shared_desk.database, run_id)


def test_a_worker_killed_right_after_the_join_had_not_gone_on(crashes: dict[str, Crash]) -> None:
    assert crashes["joined"].status == "running"
    assert crashes["ended"].status == "waiting_external"
