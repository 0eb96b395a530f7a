"""Readers of the pages: signed in, each in a browser of their own, on a database of the test's."""

import pytest

from tests.cast import People
from tests.pages.reading import Reader, Readers
from tests.pages.screens import at_screen
from tests.world import Database, Desk

__all__ = ["at_screen"]


@pytest.fixture
def reading(database: Database) -> Readers:
    """`reading(people.rosa)` is Rosa at her browser; `reading()` a stranger at theirs."""
    return Readers(database)


@pytest.fixture
def rosa(desk: Desk, people: People, reading: Readers) -> Reader:
    """Rosa, who reviews, at her browser; the refund desk is at work."""
    return reading(people.rosa)


@pytest.fixture
def otto(desk: Desk, people: People, reading: Readers) -> Reader:
    """Otto, who operates, at his; the desk is at work, too."""
    return reading(people.otto)
