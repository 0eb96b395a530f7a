"""A worker keeps one connection from task to task, and gets over a restarted database."""

import os
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest

from oversight.embedded import Child, Servers
from oversight.embedded.processes import PROJECT, worker

PATIENCE = 30

PUBLISH = """
import sys, uuid
from oversight.celery import app
for _ in range(int(sys.argv[1])):
    app.send_task("engine.tasks.advance", [str(uuid.uuid4())])
"""


@pytest.fixture(scope="module")
def environment(running_servers: Servers) -> Iterator[dict[str, str]]:
    running_servers.create_database("worker_tests")
    settings = {
        "DJANGO_SETTINGS_MODULE": "oversight.settings",
        "DATABASE_URL": running_servers.database_url("worker_tests"),
        "CELERY_BROKER_URL": running_servers.broker_url,
        "PLACET_SECRET_KEY": "made-up-for-a-test-" * 4,
        "PLACET_DEMO": "1",
    }
    run(settings, str(PROJECT / "manage.py"), "migrate", "--verbosity=0")
    yield settings
    running_servers.drop_database("worker_tests")


@pytest.fixture
def only_worker(environment: dict[str, str]) -> Iterator[Child]:
    child = worker(environment, concurrency=1)
    child.wait_for(r"ready\.", PATIENCE)
    yield child
    child.stop()


def run(settings: dict[str, str], *arguments: str) -> None:
    command = [sys.executable, *arguments]
    subprocess.run(command, env={**os.environ, **settings}, cwd=PROJECT, check=True)


def publish(settings: dict[str, str], times: int = 1) -> None:
    """Send hints at runs that do not exist: the worker asks the database and finds nothing."""
    run(settings, "-c", PUBLISH, str(times))


def connections(running: Servers) -> list[tuple[int, ...]]:
    with psycopg.connect(running.admin_url) as admin:
        return admin.execute(
            "SELECT pid FROM pg_stat_activity"
            " WHERE datname = 'worker_tests' AND starts_with(application_name, 'placet worker ')"
        ).fetchall()


def wait_for_tasks(child: Child, count: int) -> None:
    child.wait_for("engine.tasks run .*: nothing to do", PATIENCE, times=count)


def test_one_connection_serves_all_tasks(
    running_servers: Servers, environment: dict[str, str], only_worker: Child
) -> None:
    publish(environment)
    wait_for_tasks(only_worker, 1)
    first = connections(running_servers)
    publish(environment, times=20)
    wait_for_tasks(only_worker, 21)

    assert len(first) == 1
    assert connections(running_servers) == first


def test_a_restarted_database_costs_no_later_task(
    running_servers: Servers, environment: dict[str, str], only_worker: Child
) -> None:
    publish(environment)
    wait_for_tasks(only_worker, 1)

    running_servers.postgres.stop(immediate=True)
    running_servers.postgres.start()
    publish(environment)

    wait_for_tasks(only_worker, 2)
