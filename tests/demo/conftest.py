"""The cast on stage, and the demo's ledger as it is in the beginning."""

import pytest

from oversight.demo.cast import gather
from oversight.demo.desk import ledger as tables
from oversight.demo.desk.stock import DESK, PURCHASES
from oversight.models import Person
from tests.world import Database, Ledger


@pytest.fixture
def cast(database: Database) -> dict[str, Person]:
    return gather()


@pytest.fixture
def stocked(ledger: Ledger) -> Ledger:
    with ledger.connected() as open_ledger:
        open_ledger.execute("DELETE FROM account")
        tables.stock(open_ledger, DESK, PURCHASES)
    return ledger
