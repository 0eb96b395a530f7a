"""The engine's tests on servers that this machine already runs, at their usual ports.

`make test-services`: says which it found, and runs what the store's rules hang on against
PostgreSQL (5432), and real workers through RabbitMQ (5672) and through Redis (6379); `--all`, every
test of the engine. What is not found is said and left out. Databases and the ledger's role are made
for this and dropped at the end; on Redis the last database is used, and emptied.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, cast

import psycopg
from kombu import Connection
from psycopg import sql

from oversight.demo.supervisor.world import LEDGER_ROLE
from oversight.embedded import Servers
from oversight.embedded.processes import PROJECT

WANTED = "PLACET_TEST_BROKER"
"""The broker's address; where it is set, tests use the services instead of embedded servers."""

# The first that is found also serves the engine's tests; only into Redis can they look.
BROKERS = {
    "Redis": "redis://127.0.0.1:6379/15",
    "RabbitMQ": "amqp://guest:guest@127.0.0.1:5672//",
}
ALL = ["tests/engine", "-m", "not slow"]
CORE = [
    f"tests/engine/test_{name}.py"
    for name in (
        "append_only",
        "chain",
        "deciding",
        "deciding_at_once",
        "gate",
        "leases",
        "messages",
        "one_statement",
        "values",
    )
]
TWO_AT_ONCE = ["-n", "2", "--dist", "loadfile"]
WORKERS = [
    "tests/faults/test_processes.py::test_a_real_worker_takes_a_run_to_its_end",
    "tests/faults/test_kill.py",
]


@dataclass(frozen=True, slots=True)
class Postgres:
    """PostgreSQL at its usual port, as it lets in whoever is on this machine."""

    def url(self, name: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:5432/{name}"


@dataclass(frozen=True, slots=True)
class Broker:
    url: str


@contextmanager
def services(environ: Mapping[str, str]) -> Iterator[Servers]:
    """In place of the embedded servers; what is made on them is dropped at the end."""
    found = Servers(cast(Any, Postgres()), cast(Any, Broker(environ[WANTED])))
    before = _databases(found)
    yield found
    for name in _databases(found) - before:
        found.drop_database(name)


def _databases(found: Servers) -> set[str]:
    """Those of other test processes that work beside this one are theirs to drop."""
    ours = f"%\\_{os.getpid()}%"
    with psycopg.connect(found.admin_url, autocommit=True) as admin:
        rows = admin.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [ours])
        return {name for (name,) in rows}


def main() -> int:
    postgres = _version_of_postgres()
    brokers = {name: url for name, url in BROKERS.items() if _answers(url)}
    _say(f"PostgreSQL at 5432: {postgres or 'not found'}")
    for name in BROKERS:
        _say(f"{name}: {'found' if name in brokers else 'not found'}")
    if not postgres or not brokers:
        _say("Nothing was tested.")
        return 0
    first, *_ = brokers.values()
    engine = ALL if "--all" in sys.argv else CORE
    # All workers listen to one queue: two tests at a time would take each other's messages.
    passes = [([*engine, *TWO_AT_ONCE], first), *((WORKERS, url) for url in brokers.values())]
    _make_role()
    try:
        return max(_run(tests, url) for tests, url in passes)
    finally:
        _drop_role()


def _run(tests: list[str], broker: str) -> int:
    _say(f"{' '.join(tests)} on PostgreSQL and {broker.partition(':')[0]}")
    command = [sys.executable, "-m", "pytest", "-q", *tests]
    env = {**os.environ, WANTED: broker, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    return subprocess.run(command, cwd=PROJECT, env=env).returncode


def _version_of_postgres() -> str | None:
    try:
        with psycopg.connect(Postgres().url("postgres"), connect_timeout=2) as connection:
            row = connection.execute("SHOW server_version").fetchone()
    except psycopg.Error:
        return None
    return str(row[0]) if row else None


def _answers(url: str) -> bool:
    try:
        with Connection(url, connect_timeout=2) as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except Exception:
        return False
    return True


def _make_role() -> None:
    """Once: it belongs to the whole server, and two test processes would both find it missing."""
    admin = psycopg.connect(Postgres().url("postgres"), autocommit=True)
    with admin, suppress(psycopg.errors.DuplicateObject):
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(LEDGER_ROLE)))


def _drop_role() -> None:
    """Whoever had it before keeps it: then something outside of ours depends on it."""
    fine = (psycopg.errors.DependentObjectsStillExist, psycopg.errors.UndefinedObject)
    admin = psycopg.connect(Postgres().url("postgres"), autocommit=True)
    with admin, suppress(*fine):
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(LEDGER_ROLE)))


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
