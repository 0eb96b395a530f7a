"""The server that everybody stands on, and what it says of what was written to it."""

import os
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from oversight.embedded import Servers

SETTINGS = {"max_wal_size": "8GB", "checkpoint_timeout": "1h", "autovacuum": "off"}
"""No checkpoint and no vacuum falls into one contestant's lap and not into another's."""

_TOLD_SECONDS = 11.0
"""A session tells of its commits at the latest when it has been idle for ten seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written and asked for meanwhile, in all; `statements` by the server's own log."""

    wal: int
    table: int
    statements: int


class Ground:
    def __init__(self, servers: Servers, data: Path) -> None:
        self.servers = servers
        self._log = data / "postgres" / "log"
        self._admin = psycopg.connect(servers.admin_url, autocommit=True)
        for name, value in SETTINGS.items():
            self._set(name, value)
        self._admin.execute("CHECKPOINT")

    def database(self, name: str) -> str:
        """The address of a new database."""
        self.servers.create_database(name)
        return self.servers.database_url(name)

    def version(self) -> str:
        return str(self._value("SHOW server_version")).split()[0]

    def wal(self, work: Callable[[], object]) -> int:
        """Bytes of WAL that are written meanwhile."""
        before = self._value("SELECT pg_current_wal_insert_lsn()")
        work()
        return int(self._value("SELECT pg_current_wal_insert_lsn() - %s::pg_lsn", before))

    def written(self, database: str, work: Callable[[], object]) -> Written:
        """All that is counted, at a price: this work is not to be timed."""
        self._set("log_statement", "all")
        logged, table = self._log.stat().st_size, self._size(database)
        wal = self.wal(work)
        self._set("log_statement", "none")
        return Written(
            wal=wal, table=self._size(database) - table, statements=self._statements(logged)
        )

    def commits(self, databases: Iterable[str]) -> dict[str, int]:
        """How many there have been in each, some seconds later: who is idle tells late."""
        time.sleep(_TOLD_SECONDS)
        return {name: self._commits(name) for name in databases}

    def _statements(self, after: int) -> int:
        with self._log.open("rb") as log:
            log.seek(after)
            return len(re.findall(rb"LOG:  (?:statement|execute [^:]*):", log.read()))

    def _commits(self, database: str) -> int:
        query = "SELECT xact_commit FROM pg_stat_database WHERE datname = %s"
        return int(self._value(query, database))

    def _size(self, database: str) -> int:
        return int(self._value("SELECT pg_database_size(%s)", database))

    def _set(self, name: str, value: str) -> None:
        statement = sql.SQL("ALTER SYSTEM SET {} = {}")
        self._admin.execute(statement.format(sql.Identifier(name), sql.Literal(value)))
        self._admin.execute("SELECT pg_reload_conf()")

    def _value(self, query: str, *params: object) -> Any:
        row = self._admin.execute(query.encode(), params).fetchone()
        assert row
        return row[0]


def flush_seconds(folder: Path, laps: int = 400) -> float:
    """The median time to write 8 kB into a file there and have the disk say that it is safe."""
    taken = []
    path = folder / "flushed"
    target = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.write(target, bytes(8192 * 16))
        for lap in range(laps):
            began = time.perf_counter()
            os.pwrite(target, bytes(8192), 8192 * (lap % 16))
            os.fdatasync(target)
            taken.append(time.perf_counter() - began)
    finally:
        os.close(target)
        path.unlink()
    return sorted(taken)[laps // 2]
