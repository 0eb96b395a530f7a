"""The shop goes on while people decide. A script, not imported.

    python shopkeeper.py

Somebody pays at the counter, change is fetched, flowers are bought: money comes to the desk's
account and leaves it, through the ledger at PLACET_LEDGER_URL and past everybody else. Often in
the beginning, then more and more rarely: PLACET_SHOP_PAUSE is the first pause in seconds (12).
"""

import itertools
import os
import time
from collections.abc import Iterator
from decimal import Decimal

import psycopg

DEALINGS = (
    ("paid at the counter", "64.00"),
    ("change fetched from the bank", "-20.00"),
    ("paid at the counter", "118.50"),
    ("stamps and parcels", "-31.40"),
    ("a deposit returned", "-45.00"),
    ("paid at the counter", "23.90"),
)
LONGEST_GROWN_SECONDS, GROWTH = 120.0, 1.5

_BALANCE = "UPDATE account SET balance = balance + %s WHERE number = 'desk'"
_NOTE = "INSERT INTO transfer (amount, note) VALUES (%s, %s)"


def pauses(first: float) -> Iterator[float]:
    """Seconds between two dealings."""
    pause = first
    while True:
        yield pause
        pause = max(first, min(pause * GROWTH, LONGEST_GROWN_SECONDS))


def deal(address: str, amount: Decimal, note: str) -> None:
    """One dealing, whole or not at all."""
    with psycopg.connect(address, connect_timeout=5, application_name="shopkeeper") as ledger:
        ledger.execute(_BALANCE, [amount])
        ledger.execute(_NOTE, [amount, note])


def main() -> None:
    address, first = os.environ["PLACET_LEDGER_URL"], os.environ.get("PLACET_SHOP_PAUSE", "12")
    print("the shop is open", flush=True)
    for pause, (note, amount) in zip(pauses(float(first)), itertools.cycle(DEALINGS), strict=False):
        time.sleep(pause)
        try:
            deal(address, Decimal(amount), note)
            print(f"{amount}: {note}", flush=True)
        except psycopg.Error as problem:
            print(f"not done: {problem}", flush=True)


if __name__ == "__main__":
    main()
