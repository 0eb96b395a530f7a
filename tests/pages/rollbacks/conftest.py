"""Otto operates; the desk is there."""

import pytest

from tests.cast import People
from tests.pages.reading import Reader, Readers
from tests.pages.unknowns.screens import at_screen
from tests.world import Desk

__all__ = ["at_screen"]


@pytest.fixture
def otto(desk: Desk, people: People, reading: Readers) -> Reader:
    return reading(people.otto)
