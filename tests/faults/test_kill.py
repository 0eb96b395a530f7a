"""A real worker is killed at every named point of an effect; another brings the run to its end.

The killing is done once for all points, and takes most of the time: first one worker after the
other is killed, each at a point of its own with a run of its own, then one that nobody kills and
a clock take over. The tests only look at what is left.
"""

import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.crashpoints import POINTS
from oversight.embedded.processes import beat
from tests.engine.chain import faults_in
from tests.faults.processes import Worker, environment, wait_until
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("shared_desk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """A run whose worker was killed: what it was about, and the process that was killed."""

    run_id: uuid.UUID
    order: str
    killed: int


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
        for crash in crashed.values():
            wait_until("the run has ended", lambda at=crash: desk.run(at.run_id).ended_at)
    return crashed


def kill_one_at(point: str, desk: Desk, env: dict[str, str], folder: Path) -> Crash:
    """Let a worker come to the point with a run of its own, and kill it there."""
    order = desk.purchase()
    run_id = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    worker = Worker(env, folder, hold=point)
    try:
        desk.approve(desk.proposal(run_id))
        killed = worker.held()
    finally:
        worker.kill()
    return Crash(run_id=run_id, order=order, killed=killed)


@pytest.mark.parametrize("point", POINTS)
class TestKilledAt:
    def test_money_moved_exactly_once(
        self, point: str, crashes: dict[str, Crash], shared_desk: Desk
    ) -> None:
        order = crashes[point].order

        assert shared_desk.ledger.movements(order) == 1
        assert shared_desk.ledger.refunded(order) == "25.00"

    def test_the_run_is_completed_with_its_one_effect_committed(
        self, point: str, crashes: dict[str, Crash], shared_desk: Desk
    ) -> None:
        run_id = crashes[point].run_id
        (effect,) = shared_desk.database.rows(
            "SELECT * FROM engine_effect WHERE run_id = %s", run_id
        )

        assert shared_desk.run(run_id).status == "completed"
        assert (effect["status"], effect["verification"]) == ("succeeded", "passed")
        assert effect["committed_at"] is not None
        assert shared_desk.database.kinds(run_id).count("effect_committed") == 1

    def test_c01_it_is_sent_again_only_where_it_may_not_have_been_sent(
        self, point: str, crashes: dict[str, Crash], shared_desk: Desk
    ) -> None:
        kinds = shared_desk.database.kinds(crashes[point].run_id)

        assert kinds.count("effect_intended") == (2 if point == "intended" else 1)
        assert kinds.count("effect_reconciled") == (point in ("intended", "executed"))

    def test_the_log_is_whole(
        self, point: str, crashes: dict[str, Crash], shared_desk: Desk
    ) -> None:
        run_id = crashes[point].run_id

        assert faults_in(shared_desk.database, run_id) == []

    def test_another_process_finished_it(
        self, point: str, crashes: dict[str, Crash], shared_desk: Desk
    ) -> None:
        crash = crashes[point]
        claims = [
            event["payload"].decode()
            for event in shared_desk.database.log(crash.run_id)
            if event["kind"] == "run_claimed"
        ]

        assert f':{crash.killed}"' in claims[1]
        assert f':{crash.killed}"' not in claims[-1]
        assert len(claims) >= 3
