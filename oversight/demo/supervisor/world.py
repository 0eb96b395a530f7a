"""What lies in the databases before anybody looks: Placet's tables, the ledger, the people."""

from collections.abc import Mapping
from pathlib import Path

from psycopg import sql

from oversight.embedded import Servers
from oversight.embedded.processes import command

PLACET = "placet"
LEDGER = "ledger"
LEDGER_ROLE = "ledger_desk"

_COMMAND_SECONDS = 300

_MAKE_ROLE = sql.SQL(
    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {name}) THEN"
    " CREATE ROLE {role} LOGIN; END IF; END $$"
)


class StepFailed(RuntimeError):
    """A step of the demo's start failed; says its last lines."""


def make_databases(running: Servers) -> None:
    """Make Placet's database and the ledger's, each out of reach of the other's role."""
    for name in (PLACET, LEDGER):
        if not running.has_database(name):
            running.create_database(name)
    role = sql.Identifier(LEDGER_ROLE)
    running.execute(_MAKE_ROLE.format(name=sql.Literal(LEDGER_ROLE), role=role))
    running.execute(
        sql.SQL("REVOKE CONNECT ON DATABASE {} FROM PUBLIC").format(sql.Identifier(PLACET))
    )


def migrate(environment: Mapping[str, str], logs: Path) -> None:
    """Bring Placet's tables and doors up to date."""
    _run("migrate", environment, logs)


def prepare_world(environment: Mapping[str, str], running: Servers, logs: Path) -> None:
    """Put in the example people, agent and ledger where they are missing."""
    admin = {"PLACET_LEDGER_ADMIN_URL": running.database_url(LEDGER)}
    _run("seed_demo", {**environment, **admin}, logs)


def _run(name: str, environment: Mapping[str, str], logs: Path) -> None:
    log = logs / f"{name}.log"
    child = command(name, environment, log=log)
    try:
        code = child.wait(_COMMAND_SECONDS)
    finally:
        child.kill()
    if code != 0:
        lines = "\n  ".join(child.tail())
        raise StepFailed(f"`manage.py {name}` ended with code {code} (see {log}):\n  {lines}")
