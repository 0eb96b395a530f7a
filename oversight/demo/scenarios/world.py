"""The world as it really is: the ledger, read and changed past Placet."""

from dataclasses import dataclass
from itertools import count
from typing import Any, LiteralString

import psycopg

from oversight.demo.desk import ledger
from oversight.demo.desk.stock import DESK, Purchase


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the ledger shows of one order, and the desk's balance; decimal text."""

    refunded: str
    desk: str


class World:
    """The ledger at `url`, by the hand of its superuser."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._numbers = count(1)

    def new_order(self, *, fee: str = "0.00") -> Purchase:
        """Another paid order of 500.00, and the desk's balance as at the beginning."""
        purchase = Purchase(
            order=f"S-{next(self._numbers):03}",
            customer="Signe Halvorsen",
            goods="Oak bookcase",
            paid="500.00",
            handling_fee=fee,
        )
        with self._connected() as open_ledger:
            ledger.stock(open_ledger, DESK, [purchase])
        self.set_desk(DESK.balance)
        return purchase

    def set_desk(self, balance: str) -> None:
        """Somebody else pays in or out."""
        with self._connected() as open_ledger:
            open_ledger.execute(
                "UPDATE account SET balance = %s WHERE number = %s", [balance, DESK.number]
            )

    def standing(self, order: str) -> Standing:
        [[refunded, desk]] = self._rows(
            "SELECT refunded, balance FROM purchase, account WHERE order_no = %s AND number = %s",
            [order, DESK.number],
        )
        return Standing(refunded=str(refunded), desk=str(desk))

    def movements(self, order: str) -> int:
        """How often something really happened to this order, as the ledger itself noted."""
        [[found]] = self._rows("SELECT count(*) FROM movement WHERE order_no = %s", [order])
        return int(found)

    def moved(self, order: str, amount: str) -> int:
        """How often exactly this sum was moved for this order; what was taken back is negative."""
        query = "SELECT count(*) FROM movement WHERE order_no = %s AND amount = %s"
        [[found]] = self._rows(query, [order, amount])
        return int(found)

    def honoured(self, keys: list[str]) -> int:
        """How many of these keys the ledger has honoured."""
        query = "SELECT count(answer) FROM placet_key WHERE idempotency_key = ANY(%s)"
        [[found]] = self._rows(query, [keys])
        return int(found)

    def _rows(self, query: LiteralString, params: list[Any]) -> list[tuple[Any, ...]]:
        with self._connected() as open_ledger:
            return open_ledger.execute(query, params).fetchall()

    def _connected(self) -> psycopg.Connection:
        return psycopg.connect(self.url, autocommit=True)
