"""One transition is one statement, one round trip and one commit: counted, not believed.

What a worker sends beside its transitions is one statement for each piece of evidence that it
keeps, or reads to see how the object was left.
"""

import os
import re
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection

from engine.searching import EventQuery, matching
from engine.states import WORKER
from tests.world import Database, Desk

BESIDE = {"keep_evidence": 1, "evidence_body": 1}
"""Statements of one refund that write no event."""


@contextmanager
def overheard() -> Iterator[list[str]]:
    """What libpq sends on Django's connection meanwhile, message by message."""
    messages: list[str] = []
    pgconn = connection.connection.pgconn
    with tempfile.TemporaryFile("w+") as trace:
        pgconn.trace(os.dup(trace.fileno()))
        pgconn.set_trace_flags(psycopg.pq.Trace.SUPPRESS_TIMESTAMPS)
        try:
            yield messages
        finally:
            pgconn.untrace()
        trace.seek(0)
        messages += [line for line in trace.read().splitlines() if line.startswith("F\t")]


def named(messages: list[str], kind: str) -> list[str]:
    return [message for message in messages if message.split("\t")[2] == kind]


@pytest.fixture
def an_approved_run(desk: Desk) -> uuid.UUID:
    """Approved, and the connection has prepared every statement by an earlier run."""
    warm_up = desk.approved_refund()
    desk.work(warm_up.run_id)
    return desk.approved_refund().run_id


def written_by(database: Database, run_id: uuid.UUID, work: Callable[[], object]) -> list[str]:
    """The kinds of the events that this work wrote."""
    before = len(database.log(run_id))
    work()
    return database.kinds(run_id)[before:]


def test_one_message_to_the_server_for_each_event(desk: Desk, an_approved_run: uuid.UUID) -> None:
    before = len(desk.database.log(an_approved_run))

    with overheard() as messages:
        desk.work(an_approved_run)

    kinds = desk.database.kinds(an_approved_run)[before:]
    assert {"run_claimed", "effect_intended", "effect_committed", "run_parked"} <= set(kinds)
    round_trips = named(messages, "Sync") + named(messages, "Query")
    assert len(round_trips) == len(kinds) + sum(BESIDE.values())
    assert len(named(messages, "Execute")) == len(round_trips)
    assert named(messages, "Parse") == named(messages, "Query") == []


def test_one_commit_for_each_event(desk: Desk, an_approved_run: uuid.UUID) -> None:
    before = len(desk.database.log(an_approved_run))

    commits = commits_by(desk.database, lambda: desk.work(an_approved_run))

    written = len(desk.database.log(an_approved_run)) - before
    assert commits == written + sum(BESIDE.values())


def commits_by(database: Database, work: Callable[[], object]) -> int:
    """How many transactions Django's connection has committed for this work."""
    began = commits_now(database)
    work()
    looked = 1  # the second look is itself a transaction on this connection
    return commits_now(database) - began - looked


def commits_now(database: Database) -> int:
    """By the server's own count, in which everything sent before stands."""
    database.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
    with psycopg.connect(database.servers.admin_url, autocommit=True) as admin:
        wait_until_alone(admin, database)
        row = admin.execute(
            "SELECT xact_commit FROM pg_stat_database WHERE datname = %s", [database.name]
        ).fetchone()
    assert row is not None
    return int(row[0])


def wait_until_alone(admin: psycopg.Connection, database: Database) -> None:
    """A connection that has just been closed adds its count when its process ends, not before."""
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND state IS NOT NULL"
    deadline = time.monotonic() + 10
    while (row := admin.execute(others, [database.name]).fetchone()) and row[0] > 1:
        assert time.monotonic() < deadline, "somebody else stays connected"


def test_a_people_s_door_is_one_statement_too(desk: Desk) -> None:
    desk.approve(desk.propose_refund())
    proposal, rosa = desk.propose_refund(), desk.people.rosa

    with overheard() as messages:
        desk.approve(proposal, by=rosa)

    assert len(named(messages, "Sync")) == 1
    assert re.search("decide|_pg3", named(messages, "Bind")[0])


def test_the_count_notices_a_statement_too_many(desk: Desk, an_approved_run: uuid.UUID) -> None:
    def worked_and_looked() -> None:
        desk.work(an_approved_run)
        desk.run(an_approved_run)

    before = len(desk.database.log(an_approved_run))
    commits = commits_by(desk.database, worked_and_looked)

    written = len(desk.database.log(an_approved_run)) - before
    assert commits == written + sum(BESIDE.values()) + 1


AT_EVERY_MOVE = {"current_node", "state_version", "last_seq", "head", "last_at", "lease_until"}

INDEXED = """
SELECT DISTINCT a.attname FROM pg_depend d
JOIN pg_class i ON i.oid = d.objid AND i.relkind = 'i'
JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
WHERE d.refobjid = 'engine_run'::regclass
"""


def test_no_index_has_to_hear_of_a_move(database: Database) -> None:
    """As key, expression or condition: PostgreSQL then writes the row alone, and no index."""
    indexed = {row["attname"] for row in database.rows(INDEXED)}

    assert {"status", "labels"} <= indexed
    assert not indexed & AT_EVERY_MOVE


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("actor", "index"), [("agent:atlas", "event_by_actor"), (WORKER, "event_newest_first")]
)
def test_events_are_found_by_their_actor_and_a_worker_s_need_no_index_of_their_own(
    actor: str, index: str
) -> None:
    found = matching(EventQuery(actor=actor)).order_by("-at")

    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        plan = found.explain()
        cursor.execute("RESET enable_seqscan")

    assert index in plan
