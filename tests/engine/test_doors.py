"""What the doors hold by themselves, whatever the code before them does.

A worker is interrupted where it holds the run, and somebody tries, with its own live token, what
it would never do.
"""

import threading
import uuid
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import psycopg
import pytest

from engine import db
from engine.canonical import packed
from engine.errors import Conflict, LeaseLost, NotPermitted, PlacetError, Terminal
from engine.store import alerts, doors, effects, proposals, runs
from oversight.demo.placet_actions import Refund
from tests.engine import stories
from tests.engine.rows import everything_in
from tests.world import Desk

Held = tuple[uuid.UUID, int, int]
"""Run, live token, and the seq that its worker has folded."""


def while_held(desk: Desk, run_id: uuid.UUID, at: str, attempt: Callable[[Held], None]) -> None:
    """A worker takes the run up; where it is about to write `at`, somebody else tries something
    with its token. Whatever comes of it must leave no trace."""
    me, real, due = threading.get_ident(), db.value, [attempt]

    def value(sql: str, params: Sequence[Any] = ()) -> Any:
        if threading.get_ident() == me and due and (at in sql or at in params):
            before = everything_in(desk.database)
            due.pop()((params[0], params[1], params[2]))
            assert everything_in(desk.database) == before
        return real(sql, params)

    with patch.object(db, "value", value):
        desk.work(run_id)
    assert not due


def effect_of(desk: Desk, run_id: uuid.UUID) -> str:
    return str(desk.database.value("SELECT effect_id FROM engine_effect WHERE run_id = %s", run_id))


def through(door: Any, held: Held, facts: dict[str, Any]) -> Any:
    return door(*held, "system:worker", packed(facts), None)


class TestSendingAgain:
    """Absent alone is not enough: the last call must be over, and the key still remembered."""

    RESENT: dict[str, Any] = {"status": "prepared", "outcome": "not sent", "finding": "absent"}

    @pytest.fixture
    def run_id(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> uuid.UUID:
        monkeypatch.setattr(Refund, "call_seconds", 0.2)
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        with desk.ledger.busy_with(order):
            desk.work(run_id)
        return run_id

    def test_is_refused_before_the_last_call_is_over(self, desk: Desk, run_id: uuid.UUID) -> None:
        desk.database.execute("UPDATE engine_effect SET call_deadline = now() + interval '1 min'")

        def send_again(held: Held) -> None:
            facts = {**self.RESENT, "effect_id": effect_of(desk, run_id), "window_seconds": 900}
            with pytest.raises(Conflict, match="may still be under way"):
                through(effects.reconcile_effect, held, {**facts, "margin_seconds": 0.0})

        desk.database.time_passes_for(run_id)
        while_held(desk, run_id, "run_parked", send_again)

    def test_is_refused_within_the_margin_after_it(self, desk: Desk, run_id: uuid.UUID) -> None:
        def send_again(held: Held) -> None:
            desk.database.call_is_over_for(run_id)
            facts = {**self.RESENT, "effect_id": effect_of(desk, run_id), "window_seconds": 900}
            with pytest.raises(Conflict, match="may still be under way"):
                through(effects.reconcile_effect, held, {**facts, "margin_seconds": 120.0})

        desk.database.time_passes_for(run_id)
        desk.database.call_is_over_for(run_id)
        while_held(desk, run_id, "reconcile_effect", send_again)

    def test_is_refused_when_the_key_may_be_forgotten(self, desk: Desk, run_id: uuid.UUID) -> None:
        def send_again(held: Held) -> None:
            facts = {**self.RESENT, "effect_id": effect_of(desk, run_id), "window_seconds": 0.01}
            with pytest.raises(Conflict, match="forgotten the key"):
                through(effects.reconcile_effect, held, {**facts, "margin_seconds": 0.0})

        desk.database.time_passes_for(run_id)
        desk.database.call_is_over_for(run_id)
        while_held(desk, run_id, "reconcile_effect", send_again)


class TestRecording:
    def test_what_another_worker_has_sent_is_refused(self, desk: Desk) -> None:
        run_id = desk.approved_refund().run_id

        def record(held: Held) -> None:
            desk.database.execute("UPDATE engine_effect SET fencing_token = fencing_token - 1")
            facts = {"effect_id": effect_of(desk, run_id), "status": "failed", "outcome": "no"}
            with pytest.raises(LeaseLost, match="another worker"):
                through(effects.record_effect, held, facts)
            desk.database.execute("UPDATE engine_effect SET fencing_token = fencing_token + 1")

        while_held(desk, run_id, "record_effect", record)

    @pytest.mark.parametrize("status", ["prepared", "compensated", "executed", ""])
    def test_a_state_that_it_cannot_move_to_is_refused(self, status: str, desk: Desk) -> None:
        run_id = desk.approved_refund().run_id

        def record(held: Held) -> None:
            facts = {"effect_id": effect_of(desk, run_id), "status": status, "outcome": "?"}
            with pytest.raises((PlacetError, psycopg.Error)):
                through(effects.record_effect, held, facts)

        while_held(desk, run_id, "record_effect", record)

    def test_what_was_never_intended_is_refused(self, desk: Desk) -> None:
        run_id = desk.approved_refund().run_id

        def record(held: Held) -> None:
            facts = {"effect_id": effect_of(desk, run_id), "status": "succeeded", "outcome": "?"}
            with pytest.raises(Conflict):
                through(effects.record_effect, held, facts)

        while_held(desk, run_id, "intend_effect", record)


class TestCommitting:
    @pytest.mark.parametrize("seen", ["mismatch", "partial", "unverifiable", "not_yet", None])
    def test_what_was_not_verified_is_refused(self, seen: str | None, desk: Desk) -> None:
        run_id = desk.approved_refund().run_id

        def commit(held: Held) -> None:
            desk.database.execute("UPDATE engine_effect SET verification = %s", seen)
            with pytest.raises(Conflict, match="verification is"):
                through(effects.commit_effect, held, {"effect_id": effect_of(desk, run_id)})
            desk.database.execute("UPDATE engine_effect SET verification = 'passed'")

        while_held(desk, run_id, "commit_effect", commit)

    def test_what_failed_is_refused(self, desk: Desk) -> None:
        run_id = desk.approved_refund(desk.purchase(paid="20.00"), amount="25.00").run_id

        def commit(held: Held) -> None:
            for door in (effects.verify_effect, effects.commit_effect):
                facts = {"effect_id": effect_of(desk, run_id), "verification": "passed"}
                with pytest.raises(Conflict):
                    through(door, held, facts)

        while_held(desk, run_id, "run_moved", commit)


class TestTakingBack:
    @pytest.fixture
    def a_rollback(self, desk: Desk) -> tuple[uuid.UUID, dict[str, Any]]:
        """A run whose effect was committed, and the facts of a rollback that nobody asked for."""
        run_id = desk.approved_refund().run_id
        desk.work(run_id)
        arguments = '{"amount":"25.00","before":"0.00","found":"25.00","order":"A-1"}'
        facts = {
            "effect_id": str(uuid.uuid4()),
            "compensates": effect_of(desk, run_id),
            "step_id": "open:1:1",
            "action": "ledger.reverse_refund",
            "action_version": 1,
            "arguments": arguments,
            "request_hash": db_hash(desk, arguments),
            "idempotency_key": "1" * 64,
            "precondition": {},
        }
        return run_id, facts

    def test_without_anybody_s_authority_is_refused(
        self, desk: Desk, a_rollback: tuple[uuid.UUID, dict[str, Any]]
    ) -> None:
        run_id, facts = a_rollback

        def prepare(held: Held) -> None:
            with pytest.raises(NotPermitted, match="authorised"):
                through(effects.prepare_effect, held, facts)

        desk.ask_for_refund(run_id, desk.purchase())
        while_held(desk, run_id, "run_resumed", prepare)

    def test_of_a_rollback_is_refused(self, desk: Desk) -> None:
        """It would be taking back the taking back."""
        run_id = desk.approved_refund(desk.purchase(handling_fee="1.50")).run_id

        def prepare(held: Held) -> None:
            back = desk.database.rows(
                "SELECT * FROM engine_effect WHERE compensates_id IS NOT NULL"
            )[0]
            arguments = bytes(back["arguments"]).decode()
            facts = {
                "effect_id": str(uuid.uuid4()),
                "compensates": str(back["effect_id"]),
                "step_id": "open:1:1",
                "action": "ledger.reverse_refund",
                "action_version": 1,
                "arguments": arguments,
                "request_hash": back["request_hash"],
                "idempotency_key": "2" * 64,
            }
            with pytest.raises((Conflict, NotPermitted)):
                through(effects.prepare_effect, held, facts)

        while_held(desk, run_id, "run_ended", prepare)


def db_hash(desk: Desk, text: str) -> str:
    return str(desk.database.value("SELECT encode(sha256(%s), 'hex')", text.encode()))


class TestTheEnd:
    """Terminal is terminal."""

    @pytest.fixture(params=["completed", "rolled_back", "cancelled"])
    def ended(self, request: pytest.FixtureRequest, desk: Desk) -> uuid.UUID:
        run_id = ENDS[request.param](desk)
        assert desk.run(run_id).status == request.param
        return run_id

    def test_nobody_speaks_after_it(self, ended: uuid.UUID, desk: Desk) -> None:
        actor, otto = desk.run(ended).initiator, desk.people.otto.pk
        before = everything_in(desk.database)

        for kind in ("effect_requested", "finish_requested"):
            with pytest.raises(Terminal):
                proposals.hear_agent(ended, kind, actor, b"{}", hold_back=0)
        with pytest.raises(PlacetError):
            runs.resume_run(ended, f"person:{otto}", packed({"person": otto}))

        assert everything_in(desk.database) == before

    def test_a_worker_with_a_live_token_changes_nothing(self, ended: uuid.UUID, desk: Desk) -> None:
        """Even if somebody gave it a lease by force."""
        desk.database.execute(
            "UPDATE engine_run SET lease_token = 99, lease_owner = 'x',"
            " lease_until = now() + interval '1 min' WHERE run_id = %s",
            ended,
        )
        seq = desk.run(ended).last_seq
        before = everything_in(desk.database)

        for kind, facts in (
            ("run_moved", {"node": "elsewhere"}),
            ("run_resumed", {"status": "running"}),
            ("run_ended", {"status": "failed"}),
            ("run_paused", {"status": "paused", "reason_code": "operator"}),
        ):
            with pytest.raises(Terminal):
                runs.move_run(ended, 99, seq, kind, "w", packed(facts), None)

        assert everything_in(desk.database) == before

    def test_it_may_still_be_alerted_about(self, ended: uuid.UUID, desk: Desk) -> None:
        desk.database.execute(
            "UPDATE engine_run SET lease_token = 99, lease_until = now() + interval '1 min'"
            " WHERE run_id = %s",
            ended,
        )
        facts = {
            "alert_id": str(uuid.uuid4()),
            "kind": "late",
            "summary": "Afterwards.",
            "details": {},
            "effect_id": None,
        }

        alerts.raise_alert(ended, 99, desk.run(ended).last_seq, "w", packed(facts), None)

        assert desk.database.kinds(ended)[-1] == "alert_raised"
        assert desk.run(ended).ended_at is not None


def cancelled(desk: Desk) -> uuid.UUID:
    run_id = desk.start_run()
    desk.work(run_id)
    patient = "engine.conf.agent_wait_seconds"
    with patch(patient, lambda: -1.0):
        other = desk.start_run()
        desk.work(other)
        desk.work_on_after_waiting(other)
    return other


ENDS: dict[str, Callable[[Desk], uuid.UUID]] = {
    "completed": stories.committed,
    "rolled_back": stories.rolled_back,
    "cancelled": cancelled,
}


def test_from_a_state_that_is_not_there_nothing_moves(desk: Desk) -> None:
    """A row that was looked for and not found must not pass for one that may move."""
    move = f"SELECT {doors.schema()}._must_move('proposal', NULL, 'withdrawn')"
    with pytest.raises(psycopg.ProgrammingError, match="conflict"):
        desk.database.execute(move)
