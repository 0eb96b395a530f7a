"""The cast on stage, and the world outside as it is in the beginning."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oversight.demo.cast import gather
from oversight.demo.desk import configuration
from oversight.demo.desk import ledger as tables
from oversight.demo.desk.stock import DESK, PURCHASES
from oversight.demo.supervisor.parts import Part
from oversight.demo.supervisor.targets import Targets, targets
from oversight.models import Person
from tests.cast import People
from tests.engine.kit.office import Office
from tests.world import Database, Ledger


class Outside:
    """The demo's targets, started as the demo starts them when a test needs them, and as the
    settings name them."""

    def __init__(self, folder: Path) -> None:
        self.targets: Targets = targets(folder)
        self.parts: dict[str, Part] = self.targets.parts(folder)
        del self.parts["shopkeeper"]

    def start(self, *names: str) -> None:
        """Start the targets of these names; or, as of `mail.tell_customer`, those of actions.

        The ledger and the configuration's folder need nobody to run.
        """
        parts = [self.parts[name] for name in self.parts if any(name in one for one in names)]
        for part in parts:
            part.start({})
        for part in parts:
            part.wait_until_up()

    def stop(self) -> None:
        for part in self.parts.values():
            part.stop()

    def be_named_in(self, settings: Any) -> None:
        environment = self.targets.environment()
        for name in ("PLACET_HTTP_TARGETS", "PLACET_MAIL", "PLACET_FILE_ROOTS"):
            setattr(settings, name, json.loads(environment[name]))
        for name in ("PLACET_PAGER", "PLACET_PAGER_TAPE"):
            setattr(settings, name, environment[name])

    @property
    def tape(self) -> list[str]:
        """What went out to pagers, without numbers and times."""
        tape = self.targets.folder / "pager.tape"
        lines = tape.read_text().splitlines() if tape.exists() else []
        return [line.split("  ", 2)[2] for line in lines]

    @property
    def shop_ini(self) -> Path:
        return self.targets.folder / "config" / configuration.FILE


@pytest.fixture
def cast(database: Database) -> dict[str, Person]:
    return gather()


@pytest.fixture
def stocked(ledger: Ledger) -> Ledger:
    with ledger.connected() as open_ledger:
        open_ledger.execute("DELETE FROM account")
        tables.stock(open_ledger, DESK, PURCHASES)
    return ledger


@pytest.fixture
def outside(tmp_path: Path, settings: Any) -> Iterator[Outside]:
    world = Outside(tmp_path)
    world.be_named_in(settings)
    configuration.lay_out(world.shop_ini.parent)
    try:
        yield world
    finally:
        world.stop()


@pytest.fixture
def office(database: Database, people: People, stocked: Ledger, outside: Outside) -> Office:
    """The agent may ask for all that the demo's desk can do."""
    return Office(database, people)
