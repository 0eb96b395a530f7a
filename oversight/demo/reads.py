"""What the page of the world reads of the ledger, past Placet and on a connection of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import psycopg
from django.conf import settings
from psycopg.rows import DictRow, dict_row

from oversight.demo.desk.stock import DESK

LATEST = 24

Connection = psycopg.Connection[DictRow]


class Uncovered(Exception):
    """The desk does not have so much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bought:
    """One order as the ledger has it; `movements` is how often something happened to it."""

    order: str
    customer: str
    goods: str
    paid: str
    refunded: str
    movements: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One thing that really happened: to an order (the `nth` of its `movements`), or elsewhere.

    `amount` is never negative; `kind` is refunded, taken_back, paid_out or paid_in; `note` is what
    the ledger was told of a payment that is about no order.
    """

    at: datetime
    kind: str
    amount: str
    order: str
    customer: str
    note: str
    nth: int
    movements: int


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The ledger as of one moment. `mark` changes whenever anything in it does."""

    desk: str
    bought: tuple[Bought, ...]
    happened: tuple[Happened, ...]
    mark: str


def world() -> World:
    """Raises psycopg.OperationalError when the ledger cannot be reached."""
    with _ledger() as ledger, ledger.transaction():
        ledger.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        desk, mark = _desk(ledger)
        return World(desk=desk, bought=_bought(ledger), happened=_happened(ledger), mark=mark)


def move_desk(change: Decimal) -> None:
    """Somebody pays into the desk, or out of it. Raises Uncovered."""
    try:
        with _ledger() as ledger, ledger.transaction():
            ledger.execute(
                "UPDATE account SET balance = balance + %s WHERE number = %s",
                [change, DESK.number],
            )
            ledger.execute("INSERT INTO transfer (amount, note) VALUES (%s, 'by hand')", [change])
    except psycopg.errors.CheckViolation as refusal:
        raise Uncovered from refusal


def _desk(ledger: Connection) -> tuple[str, str]:
    """The balance, and a mark of all that has happened so far."""
    [row] = ledger.execute(
        "SELECT balance::text AS desk, concat_ws('-', balance, (SELECT count(*) FROM movement),"
        " (SELECT count(*) FROM transfer), (SELECT count(*) FROM purchase)) AS mark"
        " FROM account WHERE number = %s",
        [DESK.number],
    ).fetchall()
    return row["desk"], row["mark"]


def _bought(ledger: Connection) -> tuple[Bought, ...]:
    rows = ledger.execute(
        'SELECT order_no AS "order", customer, goods, paid::text, refunded::text,'
        " (SELECT count(*) FROM movement m WHERE m.order_no = p.order_no) AS movements"
        " FROM purchase p ORDER BY order_no"
    )
    return tuple(Bought(**row) for row in rows)


def _happened(ledger: Connection) -> tuple[Happened, ...]:
    """The latest movements and transfers, the newest first."""
    rows = ledger.execute(
        """
        SELECT at, CASE WHEN amount > 0 THEN 'refunded' ELSE 'taken_back' END AS kind,
               abs(amount)::text AS amount, order_no AS "order", customer, '' AS note,
               row_number() OVER (PARTITION BY order_no ORDER BY id) AS nth,
               count(*) OVER (PARTITION BY order_no) AS movements
        FROM movement JOIN purchase USING (order_no)
        UNION ALL
        SELECT at, CASE WHEN amount < 0 THEN 'paid_out' ELSE 'paid_in' END,
               abs(amount)::text, '', '', note, 0, 0
        FROM transfer
        ORDER BY at DESC LIMIT %s
        """,
        [LATEST],
    )
    return tuple(Happened(**row) for row in rows)


@contextmanager
def _ledger() -> Iterator[Connection]:
    with psycopg.connect(
        settings.PLACET_SQL_TARGETS["ledger"],
        autocommit=True,
        row_factory=dict_row,
        connect_timeout=2,
        options="-c statement_timeout=2000",
        application_name="placet-world",
    ) as ledger:
        yield ledger
