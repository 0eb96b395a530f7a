"""A Unix socket's name has about a hundred bytes; a project may lie deeper than that."""

from pathlib import Path

import psycopg

from oversight.embedded import servers
from oversight.embedded.folders import discard, short_private_folder


def test_postgres_starts_and_restarts_in_a_very_deep_folder() -> None:
    folder = short_private_folder()
    with servers(folder / ("deep" * 30) / ("deeper" * 30), durable=False) as running:
        running.postgres.stop(immediate=True)
        running.postgres.start()
        with psycopg.connect(running.admin_url) as connection:
            assert connection.execute("SELECT 7").fetchone() == (7,)
            place = connection.execute("SHOW unix_socket_directories").fetchone()

    assert place is not None
    private = Path(place[0]).parents[1]
    assert private.name.startswith("placet-")
    assert not private.exists()
    discard(folder)
