"""A worker that stood still while another took over: it stops at once and changes no state."""

import uuid
from typing import Any
from unittest.mock import patch

import pytest

from engine import worker
from engine.kit.sql import SqlUpdate
from engine.models import Alert, Effect
from oversight.demo.placet_actions import Refund
from tests.engine.rows import changed, everything_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk


class TestAWorkerThatWasTakenOver:
    """It stood still at some boundary while another worker brought the run to where it waits."""

    DOORS_OF_ONE_PASS = (
        "run_resumed",
        "prepare_effect",
        "intend_effect",
        "record_effect",
        "verify_effect",
        "commit_effect",
        "run_parked",
    )

    @pytest.mark.parametrize("boundary", DOORS_OF_ONE_PASS)
    def test_c37_stops_at_once_and_leaves_no_row(self, boundary: str, desk: Desk) -> None:
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        after: list[Any] = []

        def taken_over() -> None:
            desk.database.time_passes_for(run_id)
            desk.database.call_is_over_for(run_id)
            assert worker.run_once(run_id, "other:2").outcome == "waiting_external"
            after.append(everything_in(desk.database))

        with just_before(boundary, taken_over):
            assert worker.run_once(run_id, "zombie:1").outcome == "lease lost"

        assert changed(after[0], everything_in(desk.database)) == (
            ["late_answer"] if boundary == "record_effect" else []
        )
        assert desk.ledger.movements(order) == 1

    def test_that_calls_the_target_all_the_same_moves_no_money_twice(self, desk: Desk) -> None:
        """It slept between the gate and the call, so it calls; the target knows the key."""
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        call, sleepers = SqlUpdate.execute, [run_id]

        def sleepy(action: SqlUpdate, args: Any, **key_and_token: Any) -> Any:
            if sleepers:
                sleepers.pop()
                desk.database.time_passes_for(run_id)
                desk.database.call_is_over_for(run_id)
                assert worker.run_once(run_id, "other:2").outcome == "waiting_external"
            return call(action, args, **key_and_token)

        with patch.object(SqlUpdate, "execute", sleepy):
            assert worker.run_once(run_id, "zombie:1").outcome == "lease lost"

        assert desk.ledger.movements(order) == 1
        assert desk.database.kinds(run_id).count("effect_committed") == 1
        assert desk.database.kinds(run_id)[-1] == "late_answer"

    def test_that_calls_after_the_approval_lapsed_is_refused_by_the_target(
        self, desk: Desk
    ) -> None:
        """The other one asked the target, which takes no older call from then on."""
        order, run_id = self.lapsed_while_the_call_slept(desk)

        assert desk.ledger.movements(order) == 0
        assert not Alert.objects.exists()
        assert_tables_match_the_log(desk.database, run_id)

    def test_that_gets_through_after_all_is_an_alert(self, desk: Desk) -> None:
        """A target that takes older calls: what the log says is no longer true."""
        with patch.object(SqlUpdate, "fence", lambda *_, **__: None):
            order, run_id = self.lapsed_while_the_call_slept(desk)

        (alert,) = Alert.objects.all()
        assert desk.ledger.movements(order) == 1
        assert (alert.kind, alert.status) == ("late_answer", "open")
        assert alert.effect == Effect.objects.get()
        assert_tables_match_the_log(desk.database, run_id)

    @staticmethod
    def lapsed_while_the_call_slept(desk: Desk) -> tuple[str, uuid.UUID]:
        """A call sleeps; meanwhile the desk's account is empty, so the approval lapses."""
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        call, sleepers = SqlUpdate.execute, [run_id]

        def sleepy(action: SqlUpdate, args: Any, **key_and_token: Any) -> Any:
            if sleepers:
                sleepers.pop()
                desk.ledger.set_balance("1.00")
                desk.database.time_passes_for(run_id)
                desk.database.call_is_over_for(run_id)
                worker.run_once(run_id, "other:2")
                assert Effect.objects.get().outcome == "not_sent"
                desk.database.execute(
                    "UPDATE engine_effect SET call_deadline ="
                    " first_sent_at + make_interval(secs => %s)",
                    Refund.call_seconds,
                )
                desk.ledger.set_balance("100.00")
            return call(action, args, **key_and_token)

        with patch.object(SqlUpdate, "execute", sleepy):
            assert worker.run_once(run_id, "zombie:1").outcome == "lease lost"
        return order, run_id

    def test_keeps_its_late_answer_as_evidence_that_changes_no_state(self, desk: Desk) -> None:
        run_id = desk.approved_refund().run_id

        def taken_over() -> None:
            desk.database.time_passes_for(run_id)
            worker.run_once(run_id, "other:2")

        with just_before("record_effect", taken_over):
            worker.run_once(run_id, "zombie:1")

        assert_tables_match_the_log(desk.database, run_id)
        assert "late_answer" in desk.database.kinds(run_id)
