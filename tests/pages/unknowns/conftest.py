"""Otto operates; the desk is there."""

import pytest

from tests.cast import People
from tests.pages.reading import Reader, Readers
from tests.world import Desk


@pytest.fixture
def otto(desk: Desk, people: People, reading: Readers) -> Reader:
    return reading(people.otto)
