"""Whether a transition costs more when more events are stored."""

import json
from contextlib import ExitStack
from statistics import median
from typing import Any

import psycopg

from tests.bench.contestants import PLACET
from tests.bench.ground import Ground
from tests.bench.load import Load, text
from tests.bench.plan import Plan
from tests.bench.seats import Lap, Seats, quantile

_KINDS = ["run_accepted", "run_claimed", "run_resumed", *["run_moved"] * 21, "run_ended"]
"""The events of each stored run."""

_BEGUN = """
CREATE TEMP TABLE stored AS
SELECT gen_random_uuid() AS run_id, now() - n * interval '1 minute' AS at,
       decode(repeat('00', 32), 'hex') AS head
FROM generate_series(1, %s) n
"""

# The doors' own envelope, for one event of every stored run at a time: each names the one before.
_EVENT = """
WITH event AS (
    INSERT INTO engine_event (run_id, seq, kind, actor, at, payload, salt, payload_hash, hash)
    SELECT run_id, %(seq)s, %(kind)s, 'system:worker', at, payload, salt, payload_hash,
           sha256('\\x00'::bytea || convert_to({doors}._envelope(
               run_id, %(seq)s, %(kind)s, 'system:worker', at, payload_hash, head), 'UTF8'))
    FROM (SELECT *, sha256(salt || payload) AS payload_hash
          FROM (SELECT run_id, at + %(seq)s * interval '20 ms' AS at, head,
                       convert_to(%(payload)s, 'UTF8') AS payload,
                       uuid_send(gen_random_uuid()) AS salt
                FROM stored OFFSET 0) salted OFFSET 0) hashed
    RETURNING run_id, hash)
UPDATE stored SET head = event.hash FROM event WHERE stored.run_id = event.run_id
"""

_ENDED = """
INSERT INTO engine_run
SELECT (jsonb_populate_record(NULL::engine_run, to_jsonb(r) || jsonb_build_object(
    'run_id', s.run_id, 'last_seq', %s::int, 'head', s.head, 'created_at', s.at,
    'ended_at', s.at + interval '1 second'))).*
FROM stored s, (SELECT * FROM engine_run LIMIT 1) r
"""


def measure(ground: Ground, plan: Plan) -> dict[str, Any]:
    load = Load(size=2_000)
    with ExitStack() as stack:
        levels = {}
        for count in plan.stored:
            url = ground.database(f"stored_{count}")
            levels[count] = stack.enter_context(Seats.taken(PLACET, url, 1))
            levels[count].lap(load, 1)
            plan.say(f"storing {count:,} events")
            _store(url, count)
        runs = {count: seats.runs_in(plan.lap_seconds, load) for count, seats in levels.items()}
        rounds: list[dict[int, Lap]] = []
        for turn in range(plan.rounds):
            order = plan.in_turn(plan.stored, turn)
            rounds.append({count: levels[count].lap(load, runs[count]) for count in order})
    return {
        str(count): {
            "rate": median(laps[count].rate for laps in rounds),
            "p50": median(1000 * quantile(laps[count].latencies(), 0.5) for laps in rounds),
            "more": median(laps[plan.stored[0]].rate / laps[count].rate - 1 for laps in rounds),
        }
        for count in plan.stored
    }


def _store(url: str, count: int) -> None:
    """Runs that ended some time ago, each with a chain that verifies. Written past the doors,
    which take one event at a time, and without a look at keys that are there."""
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("session_replication_role = replica", "synchronous_commit = off"):
            connection.execute(f"SET {setting}".encode())
        connection.execute(_BEGUN.encode(), [count // len(_KINDS)])
        event = _EVENT.format(doors=_doors(connection)).encode()
        for seq, kind in enumerate(_KINDS, 1):
            payload = json.dumps({"node": f"node_{seq}", "set": {"doc": text(300, seq)}})
            connection.execute(event, {"seq": seq, "kind": kind, "payload": payload})
        connection.execute(_ENDED.encode(), [len(_KINDS)])
        connection.execute("ANALYZE")


def _doors(connection: psycopg.Connection) -> str:
    query = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'placet\\_%'"
    row = connection.execute(query.encode()).fetchone()
    assert row
    return str(row[0])
