"""A worker is frozen at every named point, another finishes its run, and then it wakes up.

Really frozen, by SIGSTOP, with the thread that would renew its lease; really overtaken, when its
lease has lapsed; really awake again, by SIGCONT. What it then tries must change nothing.
"""

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from engine.crashpoints import POINTS
from oversight.embedded.processes import beat
from tests.engine.chain import faults_in
from tests.engine.rows import changed, everything_about
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.processes import Worker, environment, wait_until
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("shared_desk")


@dataclass(slots=True, kw_only=True)
class Zombie:
    """A frozen worker, and what the database said of its run before it was let go."""

    worker: Worker
    run_id: uuid.UUID
    order: str
    before: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    after: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def zombies(
    shared_desk: Desk, quiet_servers: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Zombie]]:
    desk, folder = shared_desk, tmp_path_factory.mktemp("holds")
    env = environment(desk.database.url, desk.ledger.desk_url, quiet_servers.broker_url)
    with ExitStack() as stack:
        frozen = {point: freeze_one_at(point, desk, env, folder, stack) for point in POINTS}
        successor = Worker(env, folder)
        stack.callback(successor.kill)
        clock = beat({**env, "PLACET_SWEEP_SECONDS": "1"})
        stack.callback(clock.kill)
        for zombie in frozen.values():
            wait_until("the run has ended", lambda at=zombie: desk.run(at.run_id).ended_at)
        clock.kill()
        for zombie in frozen.values():
            zombie.before = everything_about(desk.database, zombie.run_id)
            wake(zombie)
            zombie.after = everything_about(desk.database, zombie.run_id)
        yield frozen


def freeze_one_at(
    point: str, desk: Desk, env: dict[str, str], folder: Path, stack: ExitStack
) -> Zombie:
    order = desk.purchase()
    run_id = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    worker = Worker(env, folder, hold=point, can_be_let_go=True)
    stack.callback(worker.kill)
    desk.approve(desk.proposal(run_id))
    worker.held()
    worker.freeze()
    return Zombie(worker=worker, run_id=run_id, order=order)


def wake(zombie: Zombie) -> None:
    """It goes on where it stood, until it says how that ended."""
    zombie.worker.thaw()
    zombie.worker.let_go()
    zombie.worker.child.wait_for(f"run {zombie.run_id}: lease lost", 30)


@pytest.mark.parametrize("point", POINTS)
class TestFrozenAt:
    def test_c37_it_changes_no_row_when_it_wakes(
        self, point: str, zombies: dict[str, Zombie], shared_desk: Desk
    ) -> None:
        """But for its late answer, where it had asked something: evidence, and no state."""
        zombie = zombies[point]

        added = changed(zombie.before, zombie.after)

        assert added == (["late_answer"] if point in ("intended", "executed") else [])

    def test_money_moved_once(
        self, point: str, zombies: dict[str, Zombie], shared_desk: Desk
    ) -> None:
        assert shared_desk.ledger.movements(zombies[point].order) == 1
        assert shared_desk.ledger.refunded(zombies[point].order) == "25.00"

    def test_the_log_is_whole_and_tells_every_column(
        self, point: str, zombies: dict[str, Zombie], shared_desk: Desk
    ) -> None:
        run_id = zombies[point].run_id

        assert faults_in(shared_desk.database, run_id) == []
        assert_tables_match_the_log(shared_desk.database, run_id)
