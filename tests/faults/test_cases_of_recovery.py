"""What went wrong elsewhere when the database restarted while a dead worker's runs were taken over:
they were left to nobody, without a word."""

from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from django.db import connections

from engine import auditing, leasing
from oversight.embedded import Servers
from oversight.embedded.processes import beat
from tests.faults.processes import Broker, Worker, wait_until
from tests.faults.test_chaos import an_approved_run, ends
from tests.world import Desk

RUNS = 250


def ended(desk: Desk) -> int:
    """How many have; none that can be seen while the database is away."""
    try:
        return sum(count for status, count in ends(desk).items() if status == "completed")
    except psycopg.OperationalError:
        return -1


@pytest.mark.slow
def test_c38_a_database_that_restarts_during_a_recovery_strands_no_run(
    desk: Desk,
    broker: Broker,
    quiet_servers: Servers,
    processes_environment: dict[str, str],
    tmp_path: Path,
) -> None:
    """Each was claimed by a worker that is no more; its successor is at it as the server dies."""
    desk.ledger.set_balance("9000.00")
    orders = dict(an_approved_run(desk) for _ in range(RUNS))
    for run_id in orders:
        assert leasing.claim(run_id, "dead:1") is not None
        desk.database.time_passes_for(run_id)
    connections.close_all()
    broker.flush()

    with ExitStack() as stack:
        stack.callback(Worker(processes_environment, tmp_path, concurrency=2).kill)
        stack.callback(beat({**processes_environment, "PLACET_SWEEP_SECONDS": "1"}).kill)
        wait_until("the recovery is under way", lambda: ended(desk) > 0)
        quiet_servers.postgres.stop(immediate=True)
        quiet_servers.postgres.start()
        assert ended(desk) < RUNS, "it was over before the server died"
        wait_until("every run has ended", lambda: ended(desk) == RUNS, 120)

    connections.close_all()
    owners = desk.database.rows("SELECT 1 FROM engine_run WHERE lease_owner IS NOT NULL")
    assert owners == []
    assert {desk.ledger.movements(order) for order in orders.values()} == {1}
    assert auditing.run_once().intact
