"""Make the ledger's tables and role, and put the first accounts and purchases into it."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import psycopg
from psycopg import sql

from engine.kit.sql import KEY_TABLE

from .stock import REHEARSAL, Account, Purchase

ROLE = "ledger_desk"
"""The only role that Placet, the world page and everybody else of the demo uses there."""

_TABLES = Path(__file__).with_name("ledger.sql")


def install(ledger: psycopg.Connection) -> None:
    """Bring the ledger's tables and role into being. `ledger` is its superuser's connection."""
    with ledger.transaction():
        # Two programs that seed at once would both find things missing.
        ledger.execute("SELECT pg_advisory_xact_lock(hashtext('ledger'))")
        _make_role(ledger)
        ledger.execute(KEY_TABLE)
        ledger.execute(_TABLES.read_bytes())
        _add(ledger, REHEARSAL)


def _make_role(ledger: psycopg.Connection) -> None:
    known = ledger.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone()
    if known is None:
        ledger.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(ROLE)))


def stock(ledger: psycopg.Connection, desk: Account, purchases: Iterable[Purchase]) -> int:
    """Add the account and the purchases that are not there yet; leave the others as they are.

    Gives how many purchases were added.
    """
    with ledger.transaction():
        ledger.execute(
            "INSERT INTO account (number, holder, balance)"
            " VALUES (%(number)s, %(holder)s, %(balance)s) ON CONFLICT DO NOTHING",
            asdict(desk),
        )
        return sum(_add(ledger, purchase) for purchase in purchases)


def _add(ledger: psycopg.Connection, purchase: Purchase) -> int:
    return ledger.execute(
        "INSERT INTO purchase (order_no, customer, goods, paid, handling_fee)"
        " VALUES (%(order)s, %(customer)s, %(goods)s, %(paid)s, %(handling_fee)s)"
        " ON CONFLICT DO NOTHING",
        asdict(purchase),
    ).rowcount
