"""The world is read again after the act; what it shows decides, and wrong is taken back."""

import hashlib
import json
import uuid
from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest

from engine import api
from engine.kit.sql import SqlUpdate
from engine.models import Alert, Effect
from engine.types import Answer
from oversight.demo.placet_actions import Refund
from tests.cast import all_go_on, reviewer
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.faults.outages import Died
from tests.world import DESK_BALANCE, Desk

FEE = "1.50"


def effects(run_id: uuid.UUID) -> tuple[Effect, Effect]:
    """The forward effect and the one that takes it back."""
    forward = Effect.objects.get(run_id=run_id, compensates=None)
    return forward, Effect.objects.get(run_id=run_id, compensates=forward)


def said_in(desk: Desk, run_id: uuid.UUID, kind: str) -> list[dict[str, Any]]:
    """The payloads of all events of one kind."""
    return [json.loads(e["payload"]) for e in desk.database.log(run_id) if e["kind"] == kind]


class TestAMismatch:
    """The bank keeps a fee: less arrives than was approved."""

    @pytest.fixture
    def order(self, desk: Desk) -> str:
        return desk.purchase(handling_fee=FEE)

    def test_is_taken_back_and_the_ledger_is_as_before(self, desk: Desk, order: str) -> None:
        run_id = desk.approved_refund(order).run_id

        desk.work(run_id)

        assert desk.run(run_id).status == "rolled_back"
        assert desk.ledger.refunded(order) == "0.00"
        assert desk.ledger.balance() == DESK_BALANCE
        assert desk.ledger.movements(order) == 2

    def test_raises_an_alert_that_shows_what_was_expected_and_what_was_seen(
        self, desk: Desk, order: str
    ) -> None:
        run_id = desk.approved_refund(order).run_id

        desk.work(run_id)

        (alert,) = Alert.objects.all()
        forward, _ = effects(run_id)
        assert (alert.kind, alert.status) == ("verification_failed", "open")
        assert alert.effect == forward
        assert alert.details["expected"] == {"refunded": "25.00"}
        assert alert.details["observed"] == {"refunded": "23.50"}

    def test_is_taken_back_by_an_effect_with_a_key_of_its_own(self, desk: Desk, order: str) -> None:
        run_id = desk.approved_refund(order).run_id

        desk.work(run_id)

        forward, back = effects(run_id)
        key = hashlib.sha256(f'["rollback","{forward.pk}"]'.encode()).hexdigest()
        assert back.idempotency_key == key
        assert [row["idempotency_key"] for row in desk.ledger.honoured()] == [
            forward.idempotency_key,
            key,
        ]
        assert (back.status, back.verification) == ("succeeded", "passed")
        assert back.committed_at is not None

    def test_never_counts_as_committed(self, desk: Desk, order: str) -> None:
        run_id = desk.approved_refund(order).run_id

        desk.work(run_id)

        forward, _ = effects(run_id)
        assert (forward.status, forward.verification) == ("compensated", "mismatch")
        assert forward.committed_at is None

    def test_rests_on_the_decision_that_allowed_the_act(self, desk: Desk, order: str) -> None:
        proposal = desk.approved_refund(order)

        desk.work(proposal.run_id)

        (authorised,) = said_in(desk, proposal.run_id, "rollback_authorised")
        assert authorised["digest"] == proposal.digest
        assert authorised["rests_on"] == f"proposal {proposal.proposal_id} version 1"

    def test_is_not_taken_back_when_the_object_changed_since(self, desk: Desk, order: str) -> None:
        run_id = desk.approved_refund(order).run_id

        def somebody_else_refunds() -> None:
            desk.ledger.execute("UPDATE purchase SET refunded = 40 WHERE order_no = %s", order)

        with just_before("rollback_authorised", somebody_else_refunds):
            desk.work(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("paused", "rollback_failed")
        assert desk.ledger.refunded(order) == "38.50"
        assert set(Alert.objects.values_list("kind", flat=True)) == {
            "verification_failed",
            "rollback_failed",
        }

    def test_is_not_taken_back_when_the_object_changes_right_before(
        self, desk: Desk, order: str
    ) -> None:
        """After the rollback was prepared, before it is sent."""
        run_id = desk.approved_refund(order).run_id

        def somebody_else_refunds() -> None:
            desk.ledger.execute("UPDATE purchase SET refunded = 40 WHERE order_no = %s", order)

        with after_the_preparation_of_the_rollback(somebody_else_refunds):
            desk.work(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("paused", "rollback_failed")
        assert desk.ledger.refunded(order) == "38.50"

    def test_is_not_taken_back_by_arguments_that_were_changed_by_hand(
        self, desk: Desk, order: str
    ) -> None:
        run_id = desk.approved_refund(order).run_id

        def tamper() -> None:
            desk.database.execute(
                "UPDATE engine_effect SET arguments = convert_to(replace(convert_from(arguments,"
                " 'UTF8'), '25.00', '75.00'), 'UTF8') WHERE compensates_id IS NOT NULL"
            )

        with after_the_preparation_of_the_rollback(tamper):
            desk.work(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("paused", "rollback_failed")
        assert desk.ledger.movements(order) == 1

    def test_is_taken_back_although_the_answers_get_lost(self, desk: Desk, order: str) -> None:
        run_id = desk.approved_refund(order).run_id

        with desk.ledger.answers_lost():
            desk.work(run_id)

        assert desk.run(run_id).status == "rolled_back"
        assert desk.ledger.movements(order) == 2
        assert desk.ledger.balance() == DESK_BALANCE
        assert_tables_match_the_log(desk.database, run_id)

    def test_ends_the_run_however_often_workers_die_on_the_way(
        self, desk: Desk, order: str
    ) -> None:
        """It was taken back; one dies before it says so, the next ones right after their claim."""
        run_id = desk.approved_refund(order).run_id
        for boundary in ("run_ended", "run_resumed", "run_resumed"):
            with just_before(boundary, die), pytest.raises(Died):
                desk.work(run_id)
            desk.database.time_passes_for(run_id)

        desk.work(run_id)

        assert desk.run(run_id).status == "rolled_back"
        assert desk.database.kinds(run_id).count("proposal_opened") == 1

    def test_leaves_earlier_effects_to_a_person(self, desk: Desk, order: str) -> None:
        first = desk.approved_refund()
        desk.work(first.run_id)
        desk.ask_for_refund(first.run_id, order)
        desk.work(first.run_id)
        desk.approve(desk.proposal(first.run_id))

        desk.work(first.run_id)

        run = desk.run(first.run_id)
        assert (run.status, run.reason_code) == ("paused", "verification_failed")
        assert desk.ledger.refunded(order) == "0.00"
        (paused,) = said_in(desk, first.run_id, "run_paused")
        assert "1 earlier effect" in paused["detail"]

    @pytest.mark.parametrize(
        ("rollbacks_run", "status", "movements"), [(True, "rolled_back", 2), (False, "paused", 1)]
    )
    def test_under_a_stop_is_taken_back_if_the_stop_says_so(
        self, rollbacks_run: bool, status: str, movements: int, desk: Desk, order: str
    ) -> None:
        run_id, otto = desk.approved_refund(order).run_id, reviewer(desk.people.otto)

        def stop() -> None:
            api.stop_everything(otto, "Something is odd.", rollbacks_run=rollbacks_run)

        with just_before("verify_effect", stop):
            desk.work(run_id)

        assert desk.run(run_id).status == status
        assert desk.ledger.movements(order) == movements

    def test_whose_rollback_a_stop_held_up_is_taken_back_once_it_may(
        self, desk: Desk, order: str
    ) -> None:
        run_id, otto = desk.approved_refund(order).run_id, reviewer(desk.people.otto)
        with just_before("verify_effect", lambda: api.stop_everything(otto, "Odd.")):
            desk.work(run_id)
        all_go_on(desk.people)
        api.resume_run(run_id, reviewer=otto, reason="Take it back now.")

        desk.work(run_id)

        assert desk.run(run_id).status == "rolled_back"
        assert desk.ledger.balance() == DESK_BALANCE


def die() -> None:
    raise Died


def after_the_preparation_of_the_rollback(change: Any) -> Any:
    """Between its two looks at the object: the second time that its precondition is read."""
    from oversight.demo.placet_actions import ReverseRefund

    real, looks = ReverseRefund.precondition, []

    def precondition(action: Any, args: Any) -> Any:
        looks.append(args)
        if len(looks) == 2:
            change()
        return real(action, args)

    return patch.object(ReverseRefund, "precondition", precondition)


def test_a_target_that_lies_is_found_out(desk: Desk) -> None:
    """It says that it paid and did not; there is nothing that could be taken back."""
    order = desk.purchase()
    run_id = desk.approved_refund(order).run_id
    lie = Answer(resource_id=order, result={"refunded_before": "0.00", "refunded": "25.00"})

    with patch.object(SqlUpdate, "execute", lambda *_, **__: lie):
        desk.work(run_id)

    assert desk.ledger.movements(order) == 0
    assert desk.run(run_id).status != "completed"
    assert not Effect.objects.filter(committed_at__isnull=False, compensates=None).exists()
    assert Alert.objects.filter(kind="verification_failed").count() == 1


class TestATargetThatCannotBeRead:
    """The act was answered, and then nobody gets through to look."""

    @pytest.fixture
    def run_id(self, desk: Desk) -> uuid.UUID:
        return desk.approved_refund().run_id

    def test_c61_has_not_shown_anything_yet_and_is_read_again(
        self, desk: Desk, run_id: uuid.UUID
    ) -> None:
        with just_before("record_effect", desk.ledger.shut):
            desk.work(run_id)

        assert desk.run(run_id).status == "waiting_external"
        assert Effect.objects.get().verification == "not_yet"
        assert Effect.objects.get().committed_at is None
        desk.ledger.open()
        desk.work_on_after_waiting(run_id)
        assert Effect.objects.get().verification == "passed"
        assert Effect.objects.get().committed_at is not None
        assert_tables_match_the_log(desk.database, run_id)

    def test_is_read_again_later_each_time(self, desk: Desk, run_id: uuid.UUID) -> None:
        with just_before("record_effect", desk.ledger.shut):
            desk.work(run_id)
        for _ in range(3):
            desk.work_on_after_waiting(run_id)

        waits = [
            round((datetime.fromisoformat(parked["wake_at"]) - event["at"]).total_seconds())
            for event in desk.database.log(run_id)
            if event["kind"] == "run_parked"
            and (parked := json.loads(event["payload"]))["awaiting"]["what"] == "verification"
        ]
        desk.ledger.open()
        assert waits == [1, 2, 4, 8]

    def test_holds_no_lease_meanwhile(self, desk: Desk, run_id: uuid.UUID) -> None:
        with just_before("record_effect", desk.ledger.shut):
            desk.work(run_id)
        desk.ledger.open()

        assert desk.run(run_id).lease_owner is None
        assert desk.run(run_id).lease_until is None

    def test_c61_for_too_long_is_a_person_s_matter_and_nothing_is_taken_back(
        self, desk: Desk, run_id: uuid.UUID, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Refund, "verify_seconds", 0.0)

        with just_before("record_effect", desk.ledger.shut):
            desk.work(run_id)
        desk.ledger.open()

        run, (alert,) = desk.run(run_id), Alert.objects.all()
        assert (run.status, run.reason_code) == ("paused", "verification_failed")
        assert (alert.kind, alert.status) == ("verification_failed", "open")
        assert Effect.objects.get().verification == "unverifiable"
        assert Effect.objects.get().committed_at is None

    def test_is_looked_at_again_when_a_person_lets_the_run_go_on(
        self, desk: Desk, run_id: uuid.UUID, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Refund, "verify_seconds", 0.0)
        with just_before("record_effect", desk.ledger.shut):
            desk.work(run_id)
        desk.ledger.open()

        api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="It answers again.")
        desk.work(run_id)

        assert Effect.objects.get().committed_at is not None
        assert_tables_match_the_log(desk.database, run_id)


def test_what_was_recorded_and_not_verified_cannot_be_committed_by_hand(desk: Desk) -> None:
    """The database holds it: committed means verified."""
    run_id = desk.approved_refund().run_id
    with just_before("record_effect", desk.ledger.shut):
        desk.work(run_id)
    desk.ledger.open()

    with pytest.raises(Exception, match="effect_committed_means_verified"):
        desk.database.execute("UPDATE engine_effect SET committed_at = now()")
