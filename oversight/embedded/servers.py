"""Both servers together, on one data folder, for as long as a `with` block lasts."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from .folders import claimed, empty
from .postgres import Postgres
from .valkey import Valkey


class Servers:
    """A running PostgreSQL and a running Valkey."""

    def __init__(self, postgres: Postgres, valkey: Valkey) -> None:
        self.postgres = postgres
        self.valkey = valkey

    @property
    def admin_url(self) -> str:
        """The superuser's address of the database `postgres`."""
        return self.postgres.url("postgres")

    @property
    def broker_url(self) -> str:
        return self.valkey.url

    def database_url(self, name: str, user: str = "postgres") -> str:
        """Return the address of the database `name` for the role `user`."""
        return self.postgres.url(name, user)

    def has_database(self, name: str) -> bool:
        with psycopg.connect(self.admin_url, autocommit=True) as admin:
            found = admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
            return found.fetchone() is not None

    def create_database(self, name: str, template: str | None = None) -> None:
        """Make a database, a copy of `template` if named, to which nobody may be connected."""
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
            sql.Identifier(name), sql.Identifier(template or "template1")
        )
        self.execute(statement)

    def drop_database(self, name: str) -> None:
        """Remove a database if there is one, and end everybody's connection to it."""
        self.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )

    def execute(self, statement: sql.SQL | sql.Composed) -> None:
        """Execute one statement as superuser, outside of any transaction."""
        with psycopg.connect(self.admin_url, autocommit=True) as admin:
            admin.execute(statement)


@contextmanager
def servers(
    data: Path,
    say: Callable[[str], None] = print,
    *,
    durable: bool = True,
    fresh: bool = False,
    logs: Path | None = None,
) -> Iterator[Servers]:
    """Run both servers on the folder `data`, emptied first if `fresh`, and stop them at the end.

    `say` hears what is worth a user's notice. Raises AlreadyRunning if another process has the
    folder, PostgresFailed, ChildEnded or TimeoutError if a server does not start.
    """
    with claimed(data):
        if fresh:
            empty(data)
        with closing(Postgres(data / "postgres", say=say, durable=durable)) as postgres:
            postgres.start()
            with closing(Valkey(log=logs and logs / "valkey.log")) as valkey:
                valkey.start()
                yield Servers(postgres, valkey)
