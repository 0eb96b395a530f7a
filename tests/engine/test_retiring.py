"""Doors that no code uses any more are dropped; what is in use, or may come back, is not."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import psycopg
import pytest

from engine import retiring
from engine.errors import Unavailable
from engine.store import doors, runs
from tests.faults.processes import wait_until
from tests.world import Database, Desk

OLDER = "placet_0123456789ab"
NOTHING = timedelta()


@pytest.fixture
def older(database: Database) -> str:
    """The doors of older code: a schema with something in it."""
    database.execute(f"CREATE SCHEMA {OLDER}")
    database.execute(f"CREATE FUNCTION {OLDER}.door() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    return OLDER


def looked(unused_for: timedelta = NOTHING) -> dict[str, str]:
    return {one.schema: one.became for one in retiring.run_once(unused_for)}


@contextmanager
def a_process_of(schema: str, url: str) -> Iterator[None]:
    """A session such as a process opens whose code uses these doors."""
    with psycopg.connect(url, application_name=f"placet worker {schema}"):
        yield


def test_what_nobody_has_used_for_a_while_is_dropped(database: Database, older: str) -> None:
    assert looked()[older] == "kept", "of the first look nobody knows how long it was unused"
    assert looked(timedelta(minutes=5))[older] == "kept"
    assert looked()[older] == "dropped"
    assert database.rows("SELECT 1 FROM pg_namespace WHERE nspname = %s", older) == []
    assert looked() == {doors.schema(): "own"}


def test_what_a_session_is_connected_for_stays_however_long_it_is_idle(
    database: Database, older: str
) -> None:
    with a_process_of(older, database.url):
        assert [looked()[older] for _ in range(2)] == ["in use", "in use"]
        database.execute(f"COMMENT ON SCHEMA {older} IS 'doors of Placet, in use at 2020-01-01'")
        assert looked()[older] == "in use"
    a_while = timedelta(minutes=5)
    wait_until("the session has ended", lambda: looked(a_while)[older] != "in use")
    assert looked(a_while)[older] == "kept", "it was in use a moment ago"


def test_a_process_on_another_database_is_none_of_this_one_s(
    database: Database, older: str
) -> None:
    looked()
    with a_process_of(older, database.servers.database_url("postgres")):
        assert looked()[older] == "dropped"


def test_its_own_doors_are_never_dropped_nor_is_what_is_not_ours(
    desk: Desk, database: Database
) -> None:
    database.execute("CREATE SCHEMA placet_reports")
    own = doors.schema()
    database.execute(f"COMMENT ON SCHEMA {own} IS 'doors of Placet, in use at 2020-01-01'")
    assert looked() == {own: "own"}
    assert database.rows("SELECT 1 FROM pg_namespace WHERE nspname = 'placet_reports'")
    desk.work(desk.start_run())


def test_code_whose_doors_are_gone_says_so_and_may_try_again(desk: Desk) -> None:
    run_id = desk.start_run()
    desk.database.execute(f"ALTER SCHEMA {doors.schema()} RENAME TO elsewhere")
    with pytest.raises(Unavailable, match="migrate"):
        desk.work(run_id)
    doors.install()
    assert runs.runs_without_a_worker(1) == [run_id]
    assert doors.seen(doors.schema()) is not None
