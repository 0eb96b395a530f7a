"""The log is a chain of hashes: whatever is altered, left out or put in is found."""

import itertools
import json
import uuid
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import api, auditing
from engine.api import Initiator
from engine.models import Effect
from engine.store import doors
from tests.engine import chain
from tests.engine.chain import faults, faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before, together
from tests.world import Desk


@pytest.fixture
def run_id(desk: Desk) -> uuid.UUID:
    """A run with one committed refund."""
    run_id = desk.approved_refund().run_id
    desk.work(run_id)
    return run_id


def test_an_auditor_s_own_program_agrees(desk: Desk, run_id: uuid.UUID) -> None:
    assert len(desk.database.log(run_id)) > 15
    assert faults_in(desk.database, run_id) == []


def test_every_byte_counts(desk: Desk, run_id: uuid.UUID) -> None:
    """Flip one bit in every byte of every event, one after the other: each is found."""
    events = desk.database.log(run_id)
    (run,) = desk.database.rows("SELECT * FROM engine_run WHERE run_id = %s", run_id)
    columns = ("payload", "salt", "payload_hash", "hash", "kind", "actor")
    missed = []
    for number, column in itertools.product(range(len(events)), columns):
        for place in range(len(events[number][column])):
            forged = [*events]
            forged[number] = {**events[number], column: flipped(events[number][column], place)}
            if not faults(forged[number : number + 2], run, forged[:number]):
                missed.append((number + 1, column, place))
    assert missed == []


def flipped(value: Any, place: int) -> Any:
    """The value with the lowest bit of one place turned."""
    if isinstance(value, str):
        return value[:place] + chr(ord(value[place]) ^ 1) + value[place + 1 :]
    return value[:place] + bytes([value[place] ^ 1]) + value[place + 1 :]


INSERT = (
    "INSERT INTO engine_event (run_id, seq, kind, actor, at, payload, salt, payload_hash, hash) "
)
FORCED = {
    "an altered payload": "UPDATE engine_event SET payload = convert_to(replace(convert_from("
    "payload, 'UTF8'), '25.00', '26.00'), 'UTF8') WHERE kind = 'proposal_opened'",
    "an altered payload with a hash to match": "UPDATE engine_event SET payload = '{}',"
    " payload_hash = sha256(salt || '{}') WHERE seq = 5",
    "another actor": "UPDATE engine_event SET actor = 'person:99' WHERE kind = 'decision_made'",
    "another time": "UPDATE engine_event SET at = at + interval '1 us' WHERE seq = 4",
    "another kind": "UPDATE engine_event SET kind = 'proposal_approved' WHERE seq = 3",
    "a missing event": "DELETE FROM engine_event WHERE seq = 6",
    "a missing end": "DELETE FROM engine_event WHERE seq > 10",
    "a missing beginning": "DELETE FROM engine_event WHERE seq = 1",
    "a missing log": "DELETE FROM engine_event",
    "two events changed places": "UPDATE engine_event SET seq = CASE seq WHEN 4 THEN -5"
    " ELSE -4 END WHERE seq IN (4, 5); UPDATE engine_event SET seq = -seq WHERE seq < 0",
    "an event put in": INSERT  # noqa: S608
    + "SELECT run_id, last_seq + 1,"
    " 'run_ended', 'x', last_at, '{}', '', sha256('{}'), sha256('{}') FROM engine_run",
    "an event twice": INSERT  # noqa: S608
    + "SELECT run_id, seq + 1, kind, actor,"
    " at, payload, salt, payload_hash, hash FROM engine_event ORDER BY seq DESC LIMIT 1",
    "another head": "UPDATE engine_run SET head = sha256('x')",
    "content taken without erasing": "UPDATE engine_event SET payload = NULL, salt = NULL"
    " WHERE seq = 7",
}
"""What somebody can do who has the triggers of the database switched off for their session."""


def by_force(desk: Desk, statements: str) -> None:
    """As a superuser who does not care; the CHECK on seq is out of the way as well."""
    with desk.database.connected() as attacker:
        attacker.execute("SET session_replication_role = replica")
        attacker.execute("ALTER TABLE engine_event DROP CONSTRAINT event_seq_from_one")
        attacker.execute(statements.encode())


@pytest.mark.parametrize("what", FORCED)
def test_what_is_done_by_force_is_found(what: str, desk: Desk, run_id: uuid.UUID) -> None:
    assert auditing.run_once().intact
    by_force(desk, FORCED[what])

    assert not auditing.run_once().intact
    assert not auditing.run_once(run_id).intact


def test_the_command_says_so_and_how_much_it_checked(desk: Desk, run_id: uuid.UUID) -> None:
    out = StringIO()
    call_command("verify_log", stdout=out)
    assert f"{len(desk.database.log(run_id))} events in 1 runs" in out.getvalue()
    by_force(desk, FORCED["another actor"])

    with pytest.raises(CommandError) as failed:
        call_command("verify_log", "--json", stdout=(out := StringIO()))

    assert failed.value.returncode == 1
    report = json.loads(out.getvalue())
    assert report["intact"] is False
    assert report["faults"][0]["run"] == str(run_id)


def test_checking_nothing_is_no_pass(desk: Desk) -> None:
    with pytest.raises(CommandError) as failed:
        call_command("verify_log", stdout=StringIO())

    assert failed.value.returncode == 2


class TestAWorkerThatFindsTheLogDamaged:
    @pytest.mark.parametrize(
        "damage",
        [
            "UPDATE engine_event SET actor = 'person:99' WHERE kind = 'decision_made'",
            "UPDATE engine_event SET payload = convert_to(replace(convert_from(payload, 'UTF8'),"
            " 'approve', 'APPROVE'), 'UTF8') WHERE kind = 'decision_made'",
            "DELETE FROM engine_event WHERE kind = 'decision_made'",
            "UPDATE engine_event SET payload = '{', payload_hash = sha256(salt || '{')"
            " WHERE kind = 'decision_made'",
            "UPDATE engine_run SET head = sha256('x')",
        ],
    )
    def test_stands_still_and_raises_an_alert(self, damage: str, desk: Desk) -> None:
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        by_force(desk, damage)

        desk.work(run_id)

        assert desk.ledger.movements(order) == 0
        assert desk.run(run_id).status == "paused"
        assert desk.run(run_id).reason_code == "checksum_mismatch"
        assert desk.database.value("SELECT kind FROM engine_alert") == "checksum_mismatch"

    @pytest.mark.parametrize(
        "damage",
        [
            "UPDATE engine_checkpoint SET state_snapshot = '{}'",
            "UPDATE engine_checkpoint SET pending_action = replace(pending_action, '25', '75')",
            "UPDATE engine_checkpoint SET status = 'running'",
            "UPDATE engine_checkpoint SET budget_snapshot = 'x' WHERE last_event_sequence ="
            " (SELECT max(last_event_sequence) FROM engine_checkpoint)",
            "DELETE FROM engine_checkpoint",
        ],
    )
    def test_only_in_its_checkpoints_goes_on_from_the_log(self, damage: str, desk: Desk) -> None:
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        by_force(desk, damage)

        desk.work(run_id)

        assert desk.ledger.refunded(order) == "25.00"
        assert Effect.objects.get().committed_at is not None
        assert_tables_match_the_log(desk.database, run_id)
        if not damage.startswith("DELETE"):
            assert desk.database.value("SELECT kind FROM engine_alert") == "checkpoint_damaged"

    def test_with_the_checkpoint_that_would_have_hidden_it_stands_still(self, desk: Desk) -> None:
        """What was altered before a sound checkpoint is seen as soon as the log has to be read."""
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        by_force(
            desk,
            "UPDATE engine_event SET payload = payload || ' ' WHERE seq = 2;"
            " UPDATE engine_checkpoint SET state_snapshot = '{}'",
        )

        desk.work(run_id)

        assert desk.ledger.movements(order) == 0
        assert desk.run(run_id).reason_code == "checksum_mismatch"

    def test_in_the_middle_of_its_work_does_so_too(self, desk: Desk) -> None:
        """Somebody decides while it works, and the decision is altered before it reads it."""
        order, rosa = desk.purchase(), desk.people.rosa
        run_id = desk.start_run()
        desk.ask_for_refund(run_id, order)

        def decided_and_altered() -> None:
            desk.decide(desk.proposal(run_id), "reject", by=rosa)
            by_force(desk, FORCED["another actor"])

        with just_before("run_parked", decided_and_altered):
            desk.work(run_id)

        assert desk.run(run_id).status == "paused"
        assert desk.run(run_id).reason_code == "checksum_mismatch"
        assert desk.database.value("SELECT kind FROM engine_alert") == "checksum_mismatch"


class TestManyWriters:
    def test_on_one_run_leave_one_chain_without_a_gap(self, desk: Desk) -> None:
        """Eight writers, 25 events each, all of the same run."""
        run_id = desk.start_run()
        order = desk.purchase()

        def speak() -> None:
            for _ in range(25):
                desk.ask_for_refund(run_id, order)

        together([speak] * 8)

        events = desk.database.log(run_id)
        assert [event["seq"] for event in events] == list(range(1, 202))
        assert len({bytes(event["hash"]) for event in events}) == 201
        assert faults_in(desk.database, run_id) == []

    def test_and_workers_that_claim_in_between(self, desk: Desk) -> None:
        run_id, order = desk.start_run(), desk.purchase()

        def speak() -> None:
            for _ in range(10):
                desk.ask_for_refund(run_id, order)

        def work() -> None:
            for _ in range(5):
                desk.work(run_id)

        together([speak] * 4 + [work] * 4)

        assert faults_in(desk.database, run_id) == []
        assert desk.database.kinds(run_id).count("effect_requested") == 40
        assert desk.database.kinds(run_id).count("proposal_opened") == 1


def test_time_never_runs_backwards_in_a_run(desk: Desk, run_id: uuid.UUID) -> None:
    """The clock of the database is set back: the log goes on at the latest time it has."""
    ahead = datetime.now(UTC) + timedelta(hours=1)
    desk.database.execute("UPDATE engine_run SET last_at = %s", ahead)

    desk.ask_for_refund(run_id, desk.purchase())

    assert desk.database.log(run_id)[-1]["at"] == ahead


def test_an_agent_with_an_odd_name_is_hashed_alike(desk: Desk) -> None:
    actor = 'agent:"\\/\t\u007f\u2028é😀<b>'
    run_id = api.start_run("agent", {}, initiator=Initiator(actor=actor))

    assert faults_in(desk.database, run_id) == []
    assert auditing.run_once(run_id).intact


anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


def test_the_database_and_python_write_the_same_envelope(desk: Desk) -> None:
    with desk.database.connected() as connection:

        @settings(
            max_examples=300,
            deadline=None,
            suppress_health_check=[HealthCheck.function_scoped_fixture],
        )
        @given(
            kind=anything,
            actor=anything,
            seq=st.integers(1, 2**53),
            at=st.datetimes(datetime(2000, 1, 1), datetime(9999, 1, 1)),  # noqa: DTZ001
            hashed=st.binary(min_size=32, max_size=32),
        )
        def same(kind: str, actor: str, seq: int, at: datetime, hashed: bytes) -> None:
            event = {
                "run_id": uuid.UUID(int=seq),
                "seq": seq,
                "kind": kind,
                "actor": actor,
                "at": at.replace(tzinfo=UTC),
                "payload_hash": hashed,
            }
            assert written(connection, event) == chain.envelope(event, "00" * 32).decode()

        same()


def written(connection: psycopg.Connection[Any], event: dict[str, Any]) -> str:
    """The envelope as the doors write it."""
    query = (
        f"SELECT {doors.schema()}._envelope(%(run_id)s, %(seq)s, %(kind)s, %(actor)s, %(at)s,"
        " %(payload_hash)s, decode(repeat('00', 32), 'hex')) AS envelope"
    )
    row = connection.execute(query.encode(), event).fetchone()
    return str(row["envelope"])
