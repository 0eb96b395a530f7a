"""Readers of the pages: signed in, each in a browser of their own, on a database of the test's."""

import pytest

from tests.pages.reading import Reader, Readers
from tests.world import Database


@pytest.fixture
def reading(database: Database) -> Readers:
    """`reading(people.rosa)` is Rosa at her browser; `reading()` a stranger at theirs."""
    return Readers(database)


@pytest.fixture
def rosa(desk: object, people: object, reading: Readers) -> Reader:
    """Rosa reviews; the desk is there."""
    return reading(people.rosa)  # type: ignore[attr-defined]
