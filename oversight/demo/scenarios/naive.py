"""A program that pays refunds as many programs do: a list of what is to be paid, and a tick.

    python -m oversight.demo.scenarios.naive ORDER_OF_OPERATIONS LIST_URL LEDGER_URL

It works off every refund of the table `todo` that is not ticked, and ends. `mark_first` ticks and
then pays; `act_first` pays and then ticks. It can be held between the two, as a worker can.
"""

import sys
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import psycopg

from engine.crashpoints import reach

TODO = """
CREATE TABLE IF NOT EXISTS todo (
    order_no text PRIMARY KEY,
    amount numeric(12,2) NOT NULL,
    done boolean NOT NULL DEFAULT false
)
"""

OPEN = "SELECT order_no, amount FROM todo WHERE NOT done"

Connection = psycopg.Connection[tuple[Any, ...]]
Step = Callable[[], None]


def mark_first(mark: Step, act: Step) -> None:
    mark()
    reach("between")
    act()


def act_first(mark: Step, act: Step) -> None:
    act()
    reach("between")
    mark()


ORDERS_OF_OPERATIONS = {"mark_first": mark_first, "act_first": act_first}


def work_off(order_of_operations: str, list_url: str, ledger_url: str) -> None:
    """Pay what is on the list; the tick is one commit, the payment another."""
    in_order = ORDERS_OF_OPERATIONS[order_of_operations]
    with (
        psycopg.connect(list_url, autocommit=True) as todo,
        psycopg.connect(ledger_url, autocommit=True) as ledger,
    ):
        for order, amount in todo.execute(OPEN).fetchall():
            in_order(partial(tick, todo, order), partial(pay, ledger, order, amount))


def tick(todo: Connection, order: str) -> None:
    todo.execute("UPDATE todo SET done = true WHERE order_no = %s", [order])


def pay(ledger: Connection, order: str, amount: Decimal) -> None:
    with ledger.transaction():
        ledger.execute("UPDATE account SET balance = balance - %s WHERE number = 'desk'", [amount])
        ledger.execute(
            "UPDATE purchase SET refunded = refunded + %s WHERE order_no = %s", [amount, order]
        )


if __name__ == "__main__":
    work_off(*sys.argv[1:4])
