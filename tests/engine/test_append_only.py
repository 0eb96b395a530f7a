"""The log only grows. Not even the superuser changes it; only erasure by design takes content."""

import uuid

import psycopg
import pytest

from engine import api, auditing
from tests.cast import AGENT
from tests.engine.chain import faults_in, hash_of, payload_hash_of
from tests.world import Desk

COLUMNS = {
    "run_id": "gen_random_uuid()",
    "seq": "seq + 1000",
    "kind": "'run_ended'",
    "actor": "'person:1'",
    "at": "at + interval '1 s'",
    "payload": "'{}'",
    "salt": "'\\x00'",
    "payload_hash": "'\\x00'",
    "hash": "'\\x00'",
}

ERASE = "UPDATE engine_event SET payload = NULL, salt = NULL"


@pytest.fixture
def run_id(desk: Desk) -> uuid.UUID:
    """A run that has ended, with something in it that somebody may want erased."""
    proposal = desk.propose_refund()
    desk.decide(proposal, "reject")
    desk.work(proposal.run_id)
    api.finish_run(proposal.run_id, agent=AGENT)
    desk.work(proposal.run_id)
    assert desk.run(proposal.run_id).ended_at
    return proposal.run_id


def declare_erased(desk: Desk, run_id: uuid.UUID) -> None:
    """Append, as a door would, the event without which nothing may be erased."""
    last = desk.database.log(run_id)[-1]
    event = {**last, "seq": last["seq"] + 1, "kind": "erased", "payload": b"{}", "salt": b"salt"}
    event["payload_hash"] = payload_hash_of(event)
    event["hash"] = bytes.fromhex(hash_of(event, bytes(last["hash"]).hex()))
    names, marks = ", ".join(event), ", ".join(["%s"] * len(event))
    desk.database.execute(
        f"INSERT INTO engine_event ({names}) VALUES ({marks})",  # noqa: S608
        *event.values(),
    )
    desk.database.execute(
        "UPDATE engine_run SET last_seq = %s, head = %s WHERE run_id = %s",
        event["seq"],
        event["hash"],
        run_id,
    )


def assert_refused(desk: Desk, statement: str) -> None:
    before = desk.database.rows("SELECT * FROM engine_event ORDER BY run_id, seq")
    with pytest.raises(psycopg.Error) as refusal:
        desk.database.execute(statement)
    assert refusal.value.sqlstate == "PLC01"
    assert desk.database.rows("SELECT * FROM engine_event ORDER BY run_id, seq") == before


def test_we_are_the_superuser(desk: Desk) -> None:
    assert desk.database.value("SHOW is_superuser") == "on"


@pytest.mark.parametrize("column", COLUMNS)
def test_no_column_is_changed(column: str, desk: Desk, run_id: uuid.UUID) -> None:
    assert_refused(desk, f"UPDATE engine_event SET {column} = {COLUMNS[column]}")  # noqa: S608


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM engine_event",
        "DELETE FROM engine_event WHERE seq = 3",
        "TRUNCATE engine_event",
        "TRUNCATE engine_run CASCADE",
    ],
)
def test_nothing_is_deleted(statement: str, desk: Desk, run_id: uuid.UUID) -> None:
    assert_refused(desk, statement)


class TestErasing:
    def test_is_refused_before_it_is_an_event(self, desk: Desk, run_id: uuid.UUID) -> None:
        assert_refused(desk, ERASE)

    def test_is_refused_while_the_run_goes_on(self, desk: Desk) -> None:
        proposal = desk.propose_refund()
        declare_erased(desk, proposal.run_id)

        assert_refused(desk, ERASE)

    def test_takes_payload_and_salt_of_an_ended_run(self, desk: Desk, run_id: uuid.UUID) -> None:
        events = len(desk.database.log(run_id))
        declare_erased(desk, run_id)

        assert desk.database.execute(f"{ERASE} WHERE kind <> 'erased'") == events

    def test_of_another_run_is_not_allowed_by_it(self, desk: Desk, run_id: uuid.UUID) -> None:
        other = desk.propose_refund()
        declare_erased(desk, run_id)

        assert_refused(desk, f"{ERASE} WHERE run_id = '{other.run_id}'")

    @pytest.mark.parametrize("column", sorted(set(COLUMNS) - {"payload", "salt"}))
    def test_takes_nothing_else(self, column: str, desk: Desk, run_id: uuid.UUID) -> None:
        declare_erased(desk, run_id)

        assert_refused(desk, f"{ERASE}, {column} = {COLUMNS[column]}")

    @pytest.mark.parametrize("column", ["payload", "salt"])
    def test_takes_both_or_none(self, column: str, desk: Desk, run_id: uuid.UUID) -> None:
        declare_erased(desk, run_id)

        assert_refused(desk, f"UPDATE engine_event SET {column} = NULL")  # noqa: S608

    def test_is_for_good(self, desk: Desk, run_id: uuid.UUID) -> None:
        declare_erased(desk, run_id)
        desk.database.execute(f"{ERASE} WHERE seq = 2")

        assert_refused(desk, "UPDATE engine_event SET payload = '{}', salt = '' WHERE seq = 2")

    def test_leaves_a_chain_that_verifies(self, desk: Desk, run_id: uuid.UUID) -> None:
        """Erased by design is told apart from altered and from missing."""
        declare_erased(desk, run_id)
        desk.database.execute(f"{ERASE} WHERE seq = 2")

        report = auditing.run_once(run_id)

        assert faults_in(desk.database, run_id) == []
        assert report.intact
        assert report.erased == 1
