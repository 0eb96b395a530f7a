"""Real processes on a test's own database: workers that can be held and killed, web, broker."""

import base64
import errno
import itertools
import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from django.conf import settings
from kombu import Connection

from engine import hints, tasks
from oversight.celery import app, waiting_at
from oversight.embedded import Servers
from oversight.embedded.processes import PROJECT, web, worker

PATIENCE = 60.0
"""Seconds after which something that should have come is missing."""

_numbers = itertools.count(1)


def environment(database_url: str, ledger_url: str, broker_url: str) -> dict[str, str]:
    """A process's environment; leases are short, so that a takeover is soon. What is signed here
    is good there."""
    return {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": database_url,
        "PLACET_LEDGER_URL": ledger_url,
        "CELERY_BROKER_URL": broker_url,
        "PLACET_DEMO": "1",
        "PLACET_SECRET_KEY": settings.SECRET_KEY,
        "PLACET_LEASE_SECONDS": "2",
        "PLACET_MARGIN_SECONDS": "0.5",
    }


class Broker:
    """Valkey, as the test's own processes and this one use it."""

    def __init__(self, servers: Servers) -> None:
        self.url = servers.broker_url

    @classmethod
    @contextmanager
    def emptied(cls, servers: Servers) -> Iterator[Self]:
        broker = cls(servers)
        broker.flush()
        before, app.conf.broker_url = app.conf.broker_url, broker.url
        hints.deliver_through(tasks.send)
        try:
            yield broker
        finally:
            app.conf.broker_url = before

    def flush(self) -> None:
        """Every message in it is lost, those too that a worker has taken and not begun."""
        with self._connected() as connection, suppress(*connection.channel_errors):
            if connection.transport.driver_type == "redis":
                connection.default_channel.client.flushdb()
            else:
                connection.default_channel.queue_purge(app.conf.task_default_queue)

    def messages(self) -> int:
        with self._connected() as connection:
            return waiting_at(connection)

    def bodies(self) -> list[list[Any]]:
        """Arguments and keyword arguments of every message that waits."""
        with self._connected() as connection:
            waiting = connection.default_channel.client.lrange("placet", 0, -1)
        messages = [json.loads(base64.b64decode(json.loads(raw)["body"])) for raw in waiting]
        return [message[:2] for message in messages]

    def _connected(self) -> Connection:
        return Connection(self.url)


class Worker:
    """A `celery -A oversight worker`, which may be told to stand still at a point of the engine.

    `hold` is one of `engine.crashpoints.POINTS`; `more` adds to the environment.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        folder: Path,
        *,
        hold: str | None = None,
        can_be_let_go: bool = False,
        concurrency: int = 1,
        tree: Path = PROJECT,
        **more: str,
    ) -> None:
        self._fifo = folder / f"hold-{next(_numbers)}"
        os.mkfifo(self._fifo)
        if can_be_let_go:
            os.mkfifo(f"{self._fifo}.go")
        self._reports = os.open(self._fifo, os.O_RDONLY | os.O_NONBLOCK)
        holding = {"PLACET_HOLD": hold, "PLACET_HOLD_FIFO": str(self._fifo)} if hold else {}
        self.child = worker({**env, **more, **holding}, concurrency=concurrency, tree=tree)

    def ready(self) -> Self:
        """Wait until it takes messages."""
        self.child.wait_for(r"ready\.", PATIENCE)
        return self

    def held(self) -> int:
        """Wait until one of its processes stands at the point; gives that process's id."""
        ready, _, _ = select.select([self._reports], [], [], PATIENCE)
        assert ready, f"nobody came to the point; the worker says: {self.child.tail(20)}"
        return int(os.read(self._reports, 200).split()[1])

    def let_go(self) -> None:
        """What stood still at the point goes on."""
        wait_until("it waits to be let go", self._opened_and_closed)

    def _opened_and_closed(self) -> bool:
        """That is the sign. Without somebody at the other end it cannot be opened."""
        try:
            os.close(os.open(f"{self._fifo}.go", os.O_WRONLY | os.O_NONBLOCK))
        except OSError as problem:
            if problem.errno != errno.ENXIO:
                raise
            return False
        return True

    def freeze(self) -> None:
        """All of it stands still, its lease-keeping thread too."""
        self.child.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.child.signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL to the whole of it, and what it held is closed."""
        self.child.kill()
        if self._reports >= 0:
            os.close(self._reports)
            self._reports = -1


class Web:
    """A real web server on a free port of this machine."""

    def __init__(self, env: Mapping[str, str], *, tree: Path = PROJECT) -> None:
        port = free_port()
        self.url = f"http://localhost:{port}"
        self.child = web({**env, "PLACET_PORT": str(port)}, port, tree=tree)
        self.child.wait_for("Uvicorn running", PATIENCE)

    def kill(self) -> None:
        self.child.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(what: str, condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Look again and again: other processes write to the database and tell nobody here."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"after {seconds} s still not so: {what}"
        time.sleep(0.05)
