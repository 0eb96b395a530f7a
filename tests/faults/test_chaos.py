"""Workers are killed, the broker emptied, PostgreSQL crashes while many runs are on their way.

Nothing is lost, nothing is done twice, nothing is left stranded.
"""

import random
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connections

from engine import auditing
from oversight.embedded import Servers
from oversight.embedded.processes import beat
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.processes import Broker, Worker, wait_until
from tests.world import Desk

Blow = Callable[[random.Random], None]


class Party:
    """Workers, and what may happen to them and to what they stand on."""

    def __init__(self, env: dict[str, str], folder: Path, servers: Servers, broker: Broker) -> None:
        self._env, self._folder = env, folder
        self._servers, self._broker = servers, broker
        self.workers = [self._another() for _ in range(2)]

    @property
    def blows(self) -> list[Blow]:
        return [self.kill_a_worker, self.empty_the_broker, self.crash_the_database]

    def _another(self) -> Worker:
        return Worker(self._env, self._folder, concurrency=2)

    def kill_a_worker(self, chance: random.Random) -> None:
        place = chance.randrange(len(self.workers))
        self.workers[place].kill()
        self.workers[place] = self._another()

    def empty_the_broker(self, chance: random.Random) -> None:
        self._broker.flush()

    def crash_the_database(self, chance: random.Random) -> None:
        self._servers.postgres.stop(immediate=True)
        self._servers.postgres.start()

    def end(self) -> None:
        for worker in self.workers:
            worker.kill()


@contextmanager
def under_way(
    env: dict[str, str], folder: Path, servers: Servers, broker: Broker
) -> Iterator[Party]:
    with ExitStack() as stack:
        party = Party(env, folder, servers, broker)
        stack.callback(party.end)
        stack.callback(beat({**env, "PLACET_SWEEP_SECONDS": "1"}).kill)
        yield party


@pytest.mark.parametrize(
    ("seed", "runs", "rounds"),
    [
        pytest.param(1, 8, 1, id="short"),
        pytest.param(1, 40, 4, id="long", marks=pytest.mark.slow),
        pytest.param(2, 40, 4, id="long again", marks=pytest.mark.slow),
    ],
)
def test_c38_every_run_comes_home_with_its_money_moved_once(
    seed: int,
    runs: int,
    rounds: int,
    desk: Desk,
    broker: Broker,
    quiet_servers: Servers,
    processes_environment: dict[str, str],
    tmp_path: Path,
) -> None:
    chance = random.Random(seed)  # noqa: S311 - the seed is in the failure
    orders = dict(an_approved_run(desk) for _ in range(runs))
    connections.close_all()

    with under_way(processes_environment, tmp_path, quiet_servers, broker) as party:
        for strike in in_any_order(party.blows * rounds, chance):
            wait_for_progress(desk, runs)
            strike(chance)
        wait_until("every run has ended", all_have_ended(desk, runs), 180)

    connections.close_all()
    assert ends(desk) == {"completed": runs}
    assert {desk.ledger.movements(order) for order in orders.values()} == {1}
    assert len(desk.ledger.honoured()) == runs
    assert auditing.run_once().intact
    for run_id in orders:
        assert_tables_match_the_log(desk.database, run_id)


def an_approved_run(desk: Desk) -> tuple[uuid.UUID, str]:
    order = desk.purchase()
    run_id = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    return run_id, order


def ends(desk: Desk) -> dict[str, int]:
    rows = desk.database.rows(
        "SELECT status, count(*) AS runs FROM engine_run WHERE workflow = 'refund' GROUP BY status"
    )
    return {row["status"]: row["runs"] for row in rows}


def in_any_order(blows: list[Blow], chance: random.Random) -> list[Blow]:
    return chance.sample(blows, len(blows))


def all_have_ended(desk: Desk, runs: int) -> Callable[[], bool]:
    def ended() -> bool:
        try:
            return ends(desk) == {"completed": runs}
        except psycopg.OperationalError:
            return False

    return ended


def wait_for_progress(desk: Desk, runs: int) -> None:
    """Until something has been written since, or everything is done."""
    query = "SELECT count(*), max(at) FROM engine_event"
    before: Any = desk.database.rows(query)

    def grown() -> bool:
        return desk.database.rows(query) != before or all_have_ended(desk, runs)()

    wait_until("somebody works", grown, 60)
