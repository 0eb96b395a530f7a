"""Every row that the engine keeps, to be compared with every row later."""

import uuid
from typing import Any

from tests.world import Database

TABLES = (
    "run",
    "event",
    "checkpoint",
    "effect",
    "proposal",
    "decision",
    "alert",
    "wait",
    "taking",
    "inboundevent",
)


def everything_in(database: Database) -> dict[str, list[dict[str, Any]]]:
    return {
        table: database.rows(f"SELECT * FROM engine_{table} ORDER BY 1, 2")  # noqa: S608
        for table in TABLES
    }


def everything_about(database: Database, run_id: uuid.UUID) -> dict[str, list[dict[str, Any]]]:
    """The same of one run; decisions belong to a proposal of it."""
    kept = everything_in(database)
    proposals = {row["id"] for row in kept["proposal"] if row["run_id"] == run_id}
    kept["decision"] = [row for row in kept["decision"] if row["proposal_id"] in proposals]
    return {
        table: [row for row in rows if row.get("run_id", run_id) == run_id]
        for table, rows in kept.items()
    }


def changed(before: dict[str, list[Any]], after: dict[str, list[Any]]) -> list[str]:
    """Kinds of the events added; fails if anything else differs but the log's own length."""
    added = after["event"][len(before["event"]) :]
    assert after["event"][: len(before["event"])] == before["event"]
    (was,), (now,) = before["run"], after["run"]
    length = ("last_seq", "head", "last_at")
    assert {**now, **{name: was[name] for name in length}} == was
    for table in set(TABLES) - {"run", "event"}:
        assert after[table] == before[table], table
    return [event["kind"] for event in added]
