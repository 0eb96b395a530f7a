"""Fixtures of the embedded servers, for whichever tests need a database or a broker."""

from collections.abc import Iterator

import pytest

from oversight.embedded import Servers, servers
from oversight.embedded.folders import discard, short_private_folder


@pytest.fixture(scope="session")
def running_servers() -> Iterator[Servers]:
    """One PostgreSQL and one Valkey for all the tests of a session, started for the first one.

    Not in pytest's folder for temporary files: as root the database's own user has to get at it.
    """
    folder = short_private_folder()
    with servers(folder, durable=False) as running:
        yield running
    discard(folder)
