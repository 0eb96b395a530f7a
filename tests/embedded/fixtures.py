"""Fixtures of the embedded servers, for whichever tests need a database or a broker."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from oversight.embedded import Servers, servers
from oversight.embedded.folders import discard, short_private_folder
from tests.services import WANTED, services

ENOUGH = 2 * 1024**3


def _in_memory() -> str | None:
    """A file system in memory, where there is one with room: a copy of a template costs a
    twentieth there of what it costs on a busy disk."""
    memory = Path("/dev/shm")  # noqa: S108 - only the place; the folder made in it is ours alone
    if not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < ENOUGH:
        return None
    return str(memory)


@pytest.fixture(scope="session")
def running_servers() -> Iterator[Servers]:
    """One PostgreSQL and one Valkey for all the tests of a session, started for the first one.

    Not in pytest's folder for temporary files: as root the database's own user has to get at it.
    """
    if WANTED in os.environ:
        with services(os.environ) as found:
            yield found
        return
    folder = short_private_folder(_in_memory())
    with servers(folder, durable=False) as running:
        yield running
    discard(folder)
