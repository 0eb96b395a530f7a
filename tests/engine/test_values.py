"""Large values: stored once under the hash of their bytes, named by whatever speaks of them."""

import hashlib
import uuid
from typing import Any

import psycopg
import pytest

from engine.canonical import packed
from engine.errors import Damaged
from engine.models import Value
from engine.store import runs, values
from tests.engine.rows import everything_in
from tests.world import Desk

LARGE = packed("x" * 40_000)


def digest_of(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()


def reference_to(body: bytes) -> dict[str, Any]:
    return {"$value": f"sha256:{digest_of(body).hex()}", "bytes": len(body)}


@pytest.fixture
def held(desk: Desk) -> tuple[uuid.UUID, int, int]:
    """A run, the live token of its worker, and the seq that it has folded."""
    run_id = desk.start_run()
    case = runs.claim_run_if_free(run_id, "here:1", 30.0)
    assert case is not None
    told = runs.move_run(
        run_id, case["token"], case["last_seq"], "run_resumed", "w", b'{"status":"running"}', None
    )
    return run_id, case["token"], told["seq"]


class TestTheDoor:
    def test_keeps_what_its_event_names_first(
        self, desk: Desk, held: tuple[uuid.UUID, int, int]
    ) -> None:
        facts = packed({"set": {"report": reference_to(LARGE)}})

        runs.move_run(*held, "run_moved", "w", facts, None, [LARGE])

        assert values.value_body(digest_of(LARGE)) == LARGE

    def test_keeps_it_once(self, desk: Desk, held: tuple[uuid.UUID, int, int]) -> None:
        run_id, token, seq = held
        facts = packed({"set": {"report": reference_to(LARGE)}})

        told = runs.move_run(run_id, token, seq, "run_moved", "w", facts, None, [LARGE, LARGE])
        runs.move_run(run_id, token, told["seq"], "run_moved", "w", facts, None, [LARGE])

        assert Value.objects.count() == 1

    def test_refuses_an_event_that_names_what_is_not_kept(
        self, desk: Desk, held: tuple[uuid.UUID, int, int]
    ) -> None:
        facts = packed({"set": {"report": reference_to(LARGE)}})
        before = everything_in(desk.database)

        with pytest.raises(Damaged, match="not kept here"):
            runs.move_run(*held, "run_moved", "w", facts, None)

        assert everything_in(desk.database) == before

    def test_refuses_a_checkpoint_that_names_what_is_not_kept(
        self, desk: Desk, held: tuple[uuid.UUID, int, int]
    ) -> None:
        checkpoint = {
            "state_snapshot": packed({"state": {"report": reference_to(LARGE)}}).decode(),
            "pending_action": "null",
            "completed_effects": "{}",
            "budget_snapshot": "{}",
            "schema_version": 1,
            "searchable": [],
        }
        before = everything_in(desk.database)

        with pytest.raises(Damaged, match="not kept here"):
            runs.move_run(*held, "run_moved", "w", b"{}", checkpoint)

        assert everything_in(desk.database) == before

    def test_keeps_nothing_when_it_writes_nothing(
        self, desk: Desk, held: tuple[uuid.UUID, int, int]
    ) -> None:
        run_id, token, seq = held
        facts = packed({"set": {"report": reference_to(LARGE)}})

        told = runs.move_run(run_id, token, seq - 1, "run_moved", "w", facts, None, [LARGE])

        assert "behind" in told
        assert values.value_body(digest_of(LARGE)) is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE engine_value SET body = 'other'",
        "UPDATE engine_value SET digest = 'other'",
        "UPDATE engine_value SET kept_at = now() + interval '1 s'",
        "DELETE FROM engine_value",
        "TRUNCATE engine_value",
    ],
)
def test_a_kept_value_never_changes(
    statement: str, desk: Desk, held: tuple[uuid.UUID, int, int]
) -> None:
    facts = packed({"set": {"report": reference_to(LARGE)}})
    runs.move_run(*held, "run_moved", "w", facts, None, [LARGE])

    with pytest.raises(psycopg.Error) as refusal:
        desk.database.execute(statement)

    assert refusal.value.sqlstate == "PLC01"
    assert values.value_body(digest_of(LARGE)) == LARGE
