"""What the scenarios are played on: servers, databases and workers of their own."""

import secrets
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections

from oversight import celery
from oversight.demo.cast import gather
from oversight.demo.desk import ledger
from oversight.demo.supervisor.world import LEDGER, PLACET, make_databases
from oversight.embedded import Child, Servers, processes, servers
from oversight.embedded.folders import discard, short_private_folder
from oversight.embedded.hold import Hold
from oversight.environment import database

from .world import World

Say = Callable[[str], None]

TODO = "todo"
"""Where the naive programs of the lesson keep their list."""

_UP_SECONDS = 60.0
_SHORT: Mapping[str, str] = {
    "PLACET_LEASE_SECONDS": "2",
    "PLACET_MARGIN_SECONDS": "0.5",
    "PLACET_SWEEP_SECONDS": "0.5",
}
"""How soon a successor takes over: no correctness hangs on these, only the length of the show."""


class Stage:
    """Running servers, the ledger as `world`, and at most one worker at a time."""

    def __init__(self, folder: Path, running: Servers, say: Say) -> None:
        self.folder = folder
        self.servers = running
        self.say = say
        self.world = World(running.database_url(LEDGER))
        self.ledger_url = running.database_url(LEDGER, ledger.ROLE)
        self.todo_url = running.database_url(TODO)
        self._environment = {
            **_SHORT,
            # A killed worker leaves its temporary files behind; here they go with the stage.
            "TMPDIR": str(folder),
            "PLACET_DEMO": "1",
            "PLACET_SECRET_KEY": secrets.token_urlsafe(48),
            "DATABASE_URL": running.database_url(PLACET),
            "CELERY_BROKER_URL": running.broker_url,
            "PLACET_LEDGER_URL": self.ledger_url,
        }
        self._worker: Child | None = None
        self._beat: Child | None = None

    def __enter__(self) -> "Stage":
        self._beat = processes.beat(self._environment, log=self.folder / "beat.log")
        return self

    def __exit__(self, *_: object) -> None:
        for child in (self._worker, self._beat):
            if child is not None:
                child.kill()

    @property
    def worker(self) -> Child:
        """The ordinary worker: the one that runs, or a new one."""
        if self._worker is None:
            self._worker = self._started({}, concurrency=2)
        return self._worker

    def held_worker(self, held: Hold, *, concurrency: int = 2) -> Child:
        """A new worker that stops at the hold's point, in the place of the one before it."""
        if self._worker is not None:
            self.kill_worker()
        self._worker = self._started(held.environment, concurrency=concurrency)
        return self._worker

    def another_worker(self) -> Child:
        """One more worker, which is not waited for; whoever asks for it ends it."""
        log = self.folder / "worker.log"
        return processes.worker(self._environment, concurrency=2, log=log)

    def kill_worker(self) -> None:
        """SIGKILL to the whole worker: nothing of it gets to say another word."""
        self.worker.kill()
        self._worker = None

    def last_words(self) -> list[str]:
        """The last lines that the worker wrote."""
        return self._worker.tail(20) if self._worker else []

    @contextmanager
    def worker_at_rest(self) -> Iterator[None]:
        """While the block runs, no process of the worker moves."""
        self.worker.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.worker.signal(signal.SIGCONT)

    def _started(self, more: Mapping[str, str], *, concurrency: int) -> Child:
        environment = {**self._environment, **more}
        log = self.folder / "worker.log"
        worker = processes.worker(environment, concurrency=concurrency, log=log)
        worker.wait_for(r"ready\.", _UP_SECONDS)
        return worker


@contextmanager
def stage(say: Say) -> Iterator[Stage]:
    """Set the stage, and leave nothing of it behind.

    From here on this process, too, works on the stage's databases, whatever it was started with.
    """
    with ExitStack() as stack:
        folder = short_private_folder()
        stack.callback(discard, folder)
        running = stack.enter_context(servers(folder / "servers", say))
        make_databases(running)
        running.create_database(TODO)
        _work_on(running)
        stack.callback(connections.close_all)
        call_command("migrate", verbosity=0)
        gather()
        with psycopg.connect(running.database_url(LEDGER)) as admin:
            ledger.install(admin)
        yield stack.enter_context(Stage(folder, running, say))


def _work_on(running: Servers) -> None:
    connections.close_all()
    connections.settings["default"].update(
        database(running.database_url(PLACET), process="command")
    )
    settings.PLACET_SQL_TARGETS = {"ledger": running.database_url(LEDGER, ledger.ROLE)}
    celery.app.conf.broker_url = running.broker_url
