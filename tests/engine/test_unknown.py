"""Nobody can tell whether it happened: ask by key, send again only where that is safe."""

import json
import uuid
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

from engine import actions, api
from engine.kit.sql import SqlUpdate
from engine.models import Alert, Effect
from engine.types import Finding
from oversight.demo.placet_actions import Refund
from tests.cast import reviewer
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import just_before
from tests.world import Desk


@pytest.fixture
def short_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call to the ledger is given up after this many seconds, by the ledger itself."""
    monkeypatch.setattr(Refund, "call_seconds", 0.2)


def sent(desk: Desk, run_id: uuid.UUID) -> list[dict[str, Any]]:
    """What every passing of the gate said."""
    events = desk.database.log(run_id)
    return [json.loads(e["payload"]) for e in events if e["kind"] == "effect_intended"]


def work_until_it_waits_for_the_agent(desk: Desk, run_id: uuid.UUID) -> None:
    for _ in range(10):
        desk.database.call_is_over_for(run_id)
        desk.work_on_after_waiting(run_id)
        if Effect.objects.filter(run_id=run_id, committed_at__isnull=False).exists():
            return
    pytest.fail(f"it never got there: {desk.database.kinds(run_id)}")


@pytest.mark.usefixtures("short_calls")
class TestATargetThatTakesTooLong:
    def test_c01_and_did_nothing_is_sent_the_same_key_again(self, desk: Desk) -> None:
        """Somebody's transaction held the order; the ledger gave up and took all of it back."""
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id

        with desk.ledger.busy_with(order):
            desk.work(run_id)
        assert Effect.objects.get().status == "unknown"
        work_until_it_waits_for_the_agent(desk, run_id)

        first, second = sent(desk, run_id)
        assert first["idempotency_key"] == second["idempotency_key"]
        assert (first["attempt"], second["attempt"]) == (1, 2)
        assert desk.ledger.movements(order) == 1
        assert len(desk.ledger.honoured()) == 1

    def test_is_not_sent_anything_again_before_the_first_call_is_over(self, desk: Desk) -> None:
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        with desk.ledger.busy_with(order):
            desk.work(run_id)
        desk.database.execute("UPDATE engine_effect SET call_deadline = now() + interval '1 min'")

        desk.work_on_after_waiting(run_id)

        assert len(sent(desk, run_id)) == 1
        assert desk.ledger.movements(order) == 0
        assert desk.run(run_id).status == "waiting_external"

    def test_and_does_it_after_all_is_not_sent_anything_again(self, desk: Desk) -> None:
        """An earlier sender with the same key is still at it when we call, and then succeeds."""
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        key = desk.proposal(run_id).idempotency_key
        with desk.ledger.connected() as other, other.transaction():
            claim(other, key)
            desk.work(run_id)
            assert Effect.objects.get().status == "unknown"
            pay(other, key, order)

        work_until_it_waits_for_the_agent(desk, run_id)

        assert len(sent(desk, run_id)) == 1
        assert desk.ledger.movements(order) == 1
        assert Effect.objects.get().outcome == "found by key"

    def test_tells_the_truth_in_the_log(self, desk: Desk) -> None:
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id

        with desk.ledger.busy_with(order):
            desk.work(run_id)

        assert_tables_match_the_log(desk.database, run_id)
        (kept,) = desk.database.rows(
            "SELECT v.body FROM engine_evidence v JOIN engine_effect e ON v.sha256 = e.result_ref"
        )
        assert b"statement timeout" in bytes(kept["body"])


def claim(other: Any, key: str) -> None:
    """What the earlier sender of the same request has written, and not yet committed."""
    arguments = b'{"amount":"25.00","customer":"Mara Vogel","order":"A-1","refunded_so_far":"0.00"}'
    other.execute(
        "INSERT INTO placet_key (idempotency_key, request_hash, fencing_token)"
        " VALUES (%s, encode(sha256(%s), 'hex'), 1)",
        [key, arguments],
    )


def pay(other: Any, key: str, order: str) -> None:
    other.execute("UPDATE account SET balance = balance - 25")
    other.execute("UPDATE purchase SET refunded = refunded + 25 WHERE order_no = %s", [order])
    other.execute(
        'UPDATE placet_key SET resource_id = %s, answer = \'{"refunded": "25.00"}\''
        " WHERE idempotency_key = %s",
        [order, key],
    )


class TestAnAnswerThatGotLost:
    def test_c01_is_found_by_key_and_nothing_is_sent_again(self, desk: Desk) -> None:
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id

        with desk.ledger.answers_lost():
            desk.work(run_id)

        assert len(sent(desk, run_id)) == 1
        assert desk.ledger.movements(order) == 1
        assert Effect.objects.get().committed_at is not None


def test_a_call_that_lands_while_the_target_is_being_asked_is_not_taken_for_absent(
    desk: Desk,
) -> None:
    """It arrives right after the answer "absent", and its deadline passes in the same moment."""
    order = desk.purchase()
    run_id = desk.approved_refund(order).run_id
    act, ask, under_way = SqlUpdate.execute, SqlUpdate.reconcile, list[Callable[[], object]]()

    def execute(action: SqlUpdate, args: Any, **key_and_token: Any) -> Any:
        under_way.append(lambda: act(action, args, **key_and_token))
        raise ConnectionResetError("no answer; the call is still under way")

    def reconcile(action: SqlUpdate, args: Any, *, key: str) -> Finding:
        found = ask(action, args, key=key)
        while under_way:
            under_way.pop()()
            desk.database.call_is_over_for(run_id)
        return found

    with patch.multiple(SqlUpdate, execute=execute, reconcile=reconcile):
        desk.work(run_id)
        desk.work_on_after_waiting(run_id)

    assert desk.ledger.movements(order) == 1
    assert Effect.objects.get().committed_at is not None
    assert "approval_lapsed" not in desk.database.kinds(run_id)


class TestATargetThatCannotBeAsked:
    @pytest.fixture
    def run_id(self, desk: Desk) -> uuid.UUID:
        """It was sent something, and from then on nobody gets through."""
        run_id = desk.approved_refund().run_id
        with just_before("intend_effect", desk.ledger.shut):
            desk.work(run_id)
        return run_id

    def test_c01_is_asked_again_with_patience_and_then_a_person_is(
        self, desk: Desk, run_id: uuid.UUID
    ) -> None:
        for _ in range(10):
            desk.database.call_is_over_for(run_id)
            desk.work_on_after_waiting(run_id)
        desk.ledger.open()

        run, effect, (alert,) = desk.run(run_id), Effect.objects.get(), Alert.objects.all()
        assert effect.status == "unknown"
        assert (run.status, run.reason_code) == ("paused", "effect_unknown")
        assert (alert.kind, alert.status, alert.effect) == ("effect_unknown", "open", effect)
        assert len(sent(desk, run_id)) == 1
        assert_nothing_is_guessed(desk, run_id)

    def test_is_asked_and_sent_again_once_a_person_lets_it(
        self, desk: Desk, run_id: uuid.UUID
    ) -> None:
        while desk.run(run_id).status != "paused":
            desk.work_on_after_waiting(run_id)
        desk.ledger.open()

        api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="It answers again.")
        work_until_it_waits_for_the_agent(desk, run_id)

        assert len(sent(desk, run_id)) == 2
        assert len(desk.ledger.honoured()) == 1

    def test_never_lets_an_unknown_effect_lapse(self, desk: Desk, run_id: uuid.UUID) -> None:
        """Whatever happens to the approval meanwhile, it may have happened already."""
        desk.database.execute("UPDATE engine_proposal SET valid_until = now()")
        desk.database.execute("UPDATE oversight_person SET is_active = false")

        desk.database.call_is_over_for(run_id)
        desk.work_on_after_waiting(run_id)
        desk.ledger.open()

        assert Effect.objects.get().status == "unknown"
        assert "approval_lapsed" not in desk.database.kinds(run_id)


def assert_nothing_is_guessed(desk: Desk, run_id: uuid.UUID) -> None:
    """Neither done nor not done: no verification, no commit, no lapse, no second sending."""
    kinds = set(desk.database.kinds(run_id))
    assert not kinds & {"effect_verified", "effect_committed", "approval_lapsed"}


class TestARefundThatMustBeApprovedAnew:
    """It was surely not sent; before it is sent again the gate is asked as ever."""

    @pytest.mark.usefixtures("short_calls")
    @pytest.mark.parametrize("change", ["expired", "stopped", "balance"])
    def test_is_not_sent_again_without_it(self, change: str, desk: Desk) -> None:
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id
        with desk.ledger.busy_with(order):
            desk.work(run_id)
        CHANGES[change](desk)

        desk.database.call_is_over_for(run_id)
        desk.work_on_after_waiting(run_id)

        assert len(sent(desk, run_id)) == 1
        assert desk.ledger.movements(order) == 0
        assert Effect.objects.get().status == "failed"
        assert "approval_lapsed" in desk.database.kinds(run_id)


CHANGES: dict[str, Any] = {
    "expired": lambda desk: desk.database.execute("UPDATE engine_proposal SET valid_until = now()"),
    "stopped": lambda desk: api.stop_everything(reviewer(desk.people.otto), "Odd."),
    "balance": lambda desk: desk.ledger.set_balance("1.00"),
}


class TestWhatATargetCanDo:
    """The default is the safest: only who says it de-duplicates is ever sent anything again."""

    @pytest.fixture(params=["probe", "opaque"])
    def kind(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
        class Careful(Refund):
            target_class = request.param

        monkeypatch.setitem(actions._registry, (Refund.name, Refund.version), Careful)
        monkeypatch.setattr(Refund, "call_seconds", 0.2)
        return str(request.param)

    def test_without_keys_nothing_is_sent_again(self, kind: str, desk: Desk) -> None:
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id

        with desk.ledger.busy_with(order):
            desk.work(run_id)
        for _ in range(10):
            desk.database.call_is_over_for(run_id)
            desk.work_on_after_waiting(run_id)

        run = desk.run(run_id)
        assert len(sent(desk, run_id)) == 1
        assert (run.status, run.reason_code) == ("paused", "effect_unknown")
        assert Alert.objects.filter(kind="effect_unknown", status="open").count() == 1
        assert_nothing_is_guessed(desk, run_id)

    def test_a_target_that_can_be_asked_settles_what_it_finds(self, kind: str, desk: Desk) -> None:
        order = desk.purchase()
        run_id = desk.approved_refund(order).run_id

        with desk.ledger.answers_lost():
            desk.work(run_id)

        found = Effect.objects.get().status
        assert found == {"probe": "succeeded", "opaque": "unknown"}[kind]
        assert len(sent(desk, run_id)) == 1

    def test_the_default_is_opaque(self, kind: str) -> None:
        assert actions.Action.target_class == "opaque"


def test_c45_a_key_that_the_target_may_have_forgotten_is_a_person_s_matter(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Refund, "call_seconds", 0.2)
    monkeypatch.setattr(Refund, "dedupe_window", 60.0)
    order = desk.purchase()
    run_id = desk.approved_refund(order).run_id
    with desk.ledger.busy_with(order):
        desk.work(run_id)
    desk.database.execute("UPDATE engine_effect SET first_sent_at = now() - interval '1 min'")

    desk.database.call_is_over_for(run_id)
    desk.work_on_after_waiting(run_id)

    assert len(sent(desk, run_id)) == 1
    assert desk.run(run_id).reason_code == "effect_unknown"
    assert Alert.objects.get().kind == "effect_unknown"


class TestAClearNo:
    def test_is_a_failure_that_surely_did_nothing(self, desk: Desk) -> None:
        order = desk.purchase(paid="20.00")
        run_id = desk.approved_refund(order, amount="25.00").run_id

        desk.work(run_id)

        effect = Effect.objects.get()
        assert effect.status == "failed"
        assert str(effect.outcome).startswith("refused: ")
        assert desk.ledger.movements(order) == 0
        assert desk.ledger.honoured() == []
        assert desk.run(run_id).status == "waiting_external"
