"""The servers start from nothing, start again, leave nothing behind, and share with nobody."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
from celery import Celery

from oversight.embedded import AlreadyRunning, Servers, servers
from oversight.embedded.folders import discard, short_private_folder

from .test_processes import PROJECT, wait_until_gone

SUPERVISOR = """
import sys
from pathlib import Path
from oversight.embedded import servers
with servers(Path(sys.argv[1]), say=lambda _: None, durable=False) as running:
    print(running.postgres.pid, running.valkey.child.pid, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short folder for what a supervisor keeps and for what it leaves in passing."""
    made = short_private_folder()
    (made / "passing").mkdir()
    yield made
    discard(made)


class Supervisor:
    """A process of its own that runs the servers on `folder/data` until told to end."""

    def __init__(self, folder: Path) -> None:
        self._passing = folder / "passing"
        self.process = subprocess.Popen(
            [sys.executable, "-c", SUPERVISOR, str(folder / "data")],
            cwd=PROJECT,
            env={**os.environ, "TMPDIR": str(self._passing)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.servers = list(map(int, self.process.stdout.readline().split()))

    def end(self) -> None:
        self.process.communicate()
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def left_in_passing(self) -> list[Path]:
        return list(self._passing.iterdir())


def first_value(url: str, query: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query).fetchone()
    return row and row[0]


def make_table(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS n")


def test_they_start_again_with_their_data_and_leave_nothing_in_passing(folder: Path) -> None:
    for _ in ("first", "second"):
        supervisor = Supervisor(folder)
        supervisor.end()
        wait_until_gone(*supervisor.servers)
        assert supervisor.left_in_passing() == []

    with servers(folder / "data", durable=False) as running:
        make_table(running.database_url("postgres"))
    with servers(folder / "data", durable=False) as running:
        assert first_value(running.admin_url, "SELECT n FROM kept") == 7


def test_fresh_forgets_the_data(folder: Path) -> None:
    with servers(folder / "data", durable=False) as running:
        running.create_database("kept")
    with servers(folder / "data", durable=False, fresh=True) as running:
        assert not running.has_database("kept")


def test_a_killed_supervisor_leaves_nothing_behind(folder: Path) -> None:
    supervisor = Supervisor(folder)

    supervisor.kill()

    wait_until_gone(*supervisor.servers)
    again = Supervisor(folder)
    again.end()
    assert supervisor.left_in_passing() == []


def test_a_server_left_behind_is_replaced(folder: Path) -> None:
    supervisor = Supervisor(folder)
    guardian = next(
        child
        for child in psutil.Process(supervisor.process.pid).children()
        if "guardian.py" in " ".join(child.cmdline())
    )

    guardian.kill()
    supervisor.kill()
    again = Supervisor(folder)

    wait_until_gone(supervisor.servers[0])
    assert again.servers[0] != supervisor.servers[0]
    again.end()


def test_a_second_one_on_the_same_folder_is_refused(running_servers: Servers) -> None:
    data = running_servers.postgres.data.parent

    with pytest.raises(AlreadyRunning, match=f"in use by process {os.getpid()}"), servers(data):
        pass


@pytest.mark.parametrize("immediate", [False, True])
def test_postgres_restarts_at_the_same_address(running_servers: Servers, immediate: bool) -> None:
    address = running_servers.admin_url

    running_servers.postgres.stop(immediate=immediate)
    assert not running_servers.postgres.is_running()
    running_servers.postgres.start()

    assert running_servers.admin_url == address
    assert first_value(address, "SELECT 7") == 7


def test_postgres_comes_back_after_it_was_killed(running_servers: Servers) -> None:
    assert running_servers.postgres.pid is not None

    os.kill(running_servers.postgres.pid, signal.SIGKILL)
    running_servers.postgres.start()

    assert first_value(running_servers.admin_url, "SELECT 7") == 7


def test_databases_are_copied_and_dropped_even_in_use(running_servers: Servers) -> None:
    running_servers.create_database("pattern")
    make_table(running_servers.database_url("pattern"))
    running_servers.create_database("copy", template="pattern")

    connected = psycopg.connect(running_servers.database_url("copy"))
    assert connected.execute("SELECT n FROM kept").fetchone() == (7,)
    running_servers.drop_database("copy")

    connected.close()
    assert not running_servers.has_database("copy")
    running_servers.drop_database("pattern")


def test_they_open_no_port_and_no_door_to_other_users(running_servers: Servers) -> None:
    valkey = running_servers.valkey.child
    assert valkey is not None
    assert psutil.Process(valkey.pid).net_connections("inet") == []
    assert first_value(running_servers.admin_url, "SHOW listen_addresses") == ""

    socket = Path(running_servers.broker_url.removeprefix("redis+socket://"))
    data = running_servers.postgres.data
    for closed in (socket, socket.parent, data):
        assert stat.S_IMODE(closed.stat().st_mode) & 0o077 == 0


def test_celery_publishes_and_receives_through_the_socket(running_servers: Servers) -> None:
    # Not the current one: that is where this process's own messages go.
    app = Celery(broker=running_servers.broker_url, set_as_current=False)
    with app.connection_for_write() as connection:
        queue = connection.SimpleQueue("tried")
        queue.put({"n": 7})
        message = queue.get(timeout=5)
        message.ack()
        queue.close()

    assert message.payload == {"n": 7}
