"""The floor: pgbench, PostgreSQL's own client, writes the same rows in one statement and a commit.

No worker, no Python, no chain, no rule: what a transition costs if only its rows are written.
"""

import json
import re
import subprocess
import tempfile
import uuid

import psycopg

from oversight.embedded.postgres import program

from .load import text

_RUN = "('00000000-0000-7000-8000-0000000000' || (10 + :client_id::int))::uuid"
_SCRIPT = f"""
\\set seq :seq + 1
WITH event AS (
    INSERT INTO engine_event (run_id, seq, kind, actor, at, payload, salt, payload_hash, hash)
    VALUES ({_RUN}, :seq::bigint, 'run_moved', :actor, clock_timestamp(), :payload::bytea,
            :hash::bytea, :hash::bytea, :hash::bytea))
UPDATE engine_run SET last_seq = :seq::bigint, state_version = :seq::bigint,
    head = :hash::bytea, last_at = clock_timestamp(), current_node = 'node_2'
WHERE run_id = {_RUN};
"""  # noqa: S608 - nothing from outside
CLIENTS = 16


class Floor:
    """On a database with Placet's tables and one run for each client."""

    def __init__(self, url: str, size: int) -> None:
        self._url, self._seq = url, 0
        self._payload = json.dumps({"node": "node_2", "set": {"doc": text(size, 1)}})
        with psycopg.connect(url, autocommit=True) as connection:
            for client in range(CLIENTS):
                run = uuid.UUID(f"00000000-0000-7000-8000-0000000000{10 + client}")
                connection.execute(_A_RUN, [run])

    def rate(self, clients: int, seconds: float) -> float:
        """Statements a second, over so many seconds: whole ones, at least one."""
        lasting = max(1, round(seconds))
        self._seq += 10**8
        given = {
            "seq": str(self._seq),
            "payload": self._payload,
            "actor": "system:worker",
            "hash": "0123456789abcdef" * 2,
        }
        variables = [part for name, value in given.items() for part in ("-D", f"{name}={value}")]
        shape = ["-c", str(clients), "-j", str(min(clients, 2)), "-T", str(lasting)]
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
            script.write(_SCRIPT)
            script.flush()
            options = [*shape, "-n", "-M", "prepared", "-f", script.name, *variables, self._url]
            done = subprocess.run(
                [program("pgbench"), *options],
                check=True,
                capture_output=True,
                text=True,
                timeout=lasting + 60,
            )
        found = re.search(r"tps = ([\d.]+)", done.stdout)
        assert found, done.stderr
        return float(found[1])


_A_RUN = """
INSERT INTO engine_run
SELECT (jsonb_populate_record(
    NULL::engine_run, to_jsonb(r) || jsonb_build_object('run_id', %s::uuid))).*
FROM (SELECT * FROM engine_run LIMIT 1) r
"""
