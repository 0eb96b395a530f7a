"""Unique violations in PostgreSQL's own log: no index may be what kept an effect from a replay."""

from pathlib import Path

import psycopg

from oversight.demo.scenarios.stage import Stage

_SAYS = b"duplicate key value violates unique constraint"


class Watch:
    """Counts the unique violations that a stage's PostgreSQL has logged since the last look.

    Raises RuntimeError at once if it logs none when there is one: then none would mean nothing.
    """

    def __init__(self, stage: Stage) -> None:
        self._log: Path = stage.servers.postgres.data / "log"
        self._seen = self._count()
        _provoke(stage.todo_url)
        if self.new() != 1:
            raise RuntimeError(f"PostgreSQL does not tell of unique violations in {self._log}")

    def new(self) -> int:
        before, self._seen = self._seen, self._count()
        return self._seen - before

    def _count(self) -> int:
        return self._log.read_bytes().count(_SAYS)


def _provoke(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as anywhere:
        anywhere.execute("CREATE TABLE IF NOT EXISTS once (number int PRIMARY KEY)")
        anywhere.execute("INSERT INTO once VALUES (1) ON CONFLICT DO NOTHING")
        try:
            anywhere.execute("INSERT INTO once VALUES (1)")
        except psycopg.errors.UniqueViolation:
            return
