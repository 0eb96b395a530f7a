"""An operator takes back what a run did: the latest effect first, each through the gate and
verified; what is left is taken up by a repeat."""

import uuid

import pytest

from engine import api, sweeper
from engine.errors import BadInput, Conflict, NotFound, NotPermitted
from engine.models import Alert, Effect
from tests.cast import AGENT, all_go_on, reviewer
from tests.engine.taking_back import (
    Refunds,
    assert_sound,
    confirm,
    resume,
    roll_back,
    somebody_else_refunds,
)
from tests.engine.together import in_line_for, just_before
from tests.world import Desk


class TestAWholeRun:
    def test_c64_is_unwound_in_reverse_and_ends_rolled_back(
        self, refunds: Refunds, desk: Desk
    ) -> None:
        assert roll_back(desk, refunds.run_id) == refunds.run_id
        desk.work(refunds.run_id)

        assert desk.run(refunds.run_id).status == "rolled_back"
        assert refunds.refunded() == ["0.00"] * 3
        assert refunds.standing() == ["compensated"] * 3
        rollbacks = Effect.objects.filter(compensates__isnull=False).order_by("committed_at")
        assert [one.compensates_id for one in rollbacks] == refunds.effects[::-1]
        assert_sound(desk, refunds.run_id)

    def test_names_the_operator_the_reason_and_what_is_covered(
        self, refunds: Refunds, desk: Desk
    ) -> None:
        roll_back(desk, refunds.run_id)

        (said,) = [e for e in desk.database.log(refunds.run_id) if "authorised" in e["kind"]]
        assert said["actor"] == f"person:{desk.people.otto.pk}"
        for words in ("Otto", "The lamps were sound.", *map(str, refunds.effects)):
            assert words.encode() in said["payload"]

    def test_takes_what_is_merely_proposed_off_the_table(
        self, refunds: Refunds, desk: Desk
    ) -> None:
        order = desk.purchase()
        desk.ask_for_refund(refunds.run_id, order)
        desk.work(refunds.run_id)
        proposal = desk.proposal(refunds.run_id)
        desk.approve(proposal)

        roll_back(desk, refunds.run_id)
        desk.work(refunds.run_id)

        assert desk.run(refunds.run_id).status == "rolled_back"
        assert desk.proposal(refunds.run_id).status == "withdrawn"
        assert desk.ledger.movements(order) == 0
        assert_sound(desk, refunds.run_id)

    def test_that_was_asked_for_right_before_the_gate_sends_nothing_new(
        self, refunds: Refunds, desk: Desk
    ) -> None:
        order = desk.purchase()
        desk.ask_for_refund(refunds.run_id, order)
        desk.work(refunds.run_id)
        desk.approve(desk.proposal(refunds.run_id))

        with just_before("intend_effect", lambda: roll_back(desk, refunds.run_id)):
            desk.work(refunds.run_id)

        assert desk.ledger.movements(order) == 0
        assert desk.run(refunds.run_id).status == "rolled_back"
        assert_sound(desk, refunds.run_id)

    def test_is_found_by_the_sweep(self, refunds: Refunds, desk: Desk) -> None:
        assert refunds.run_id not in sweeper.run_once().runs
        roll_back(desk, refunds.run_id)
        assert refunds.run_id in sweeper.run_once().runs

    def test_stands_still_when_asked_to_and_goes_on_unwinding(
        self, refunds: Refunds, desk: Desk
    ) -> None:
        roll_back(desk, refunds.run_id)

        def pause() -> None:
            api.pause_run(refunds.run_id, operator=reviewer(desk.people.otto), reason="Wait.")

        with just_before("commit_effect", pause):
            desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).reason_code == "operator"
        assert refunds.refunded() == ["25.00", "25.00", "0.00"]

        resume(desk, refunds.run_id)
        desk.work(refunds.run_id)
        assert refunds.refunded() == ["0.00"] * 3
        assert desk.run(refunds.run_id).status == "rolled_back"
        assert_sound(desk, refunds.run_id)

    def test_waits_for_a_stop_that_holds_rollbacks_too(self, refunds: Refunds, desk: Desk) -> None:
        otto = reviewer(desk.people.otto)
        api.stop_everything(otto, "Something is odd.")
        roll_back(desk, refunds.run_id)
        desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).reason_code == "stop"
        assert refunds.refunded() == ["25.00"] * 3

        all_go_on(desk.people)
        desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).status == "rolled_back"
        assert_sound(desk, refunds.run_id)

    def test_runs_under_a_stop_that_lets_rollbacks_run(self, refunds: Refunds, desk: Desk) -> None:
        api.stop_everything(reviewer(desk.people.otto), "Something is odd.", rollbacks_run=True)
        roll_back(desk, refunds.run_id)
        desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).status == "rolled_back"


class TestOneEffect:
    def test_is_taken_back_and_the_run_waits_for_a_word(self, refunds: Refunds, desk: Desk) -> None:
        roll_back(desk, refunds.run_id, refunds.effects[1])
        desk.work(refunds.run_id)

        run = desk.run(refunds.run_id)
        assert (run.status, run.reason_code) == ("paused", "operator")
        assert refunds.standing() == ["succeeded", "compensated", "succeeded"]
        assert_sound(desk, refunds.run_id)

    def test_and_then_the_run_goes_on(self, refunds: Refunds, desk: Desk) -> None:
        roll_back(desk, refunds.run_id, refunds.effects[2])
        desk.work(refunds.run_id)
        resume(desk, refunds.run_id)
        desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).status == "waiting_external"

        api.finish_run(refunds.run_id, agent=AGENT)
        desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).status == "completed"
        assert_sound(desk, refunds.run_id)

    def test_and_then_the_rest(self, refunds: Refunds, desk: Desk) -> None:
        roll_back(desk, refunds.run_id, refunds.effects[2])
        desk.work(refunds.run_id)
        roll_back(desk, refunds.run_id)
        desk.work(refunds.run_id)

        assert desk.run(refunds.run_id).status == "rolled_back"
        assert [desk.ledger.movements(order) for order in refunds.orders] == [2, 2, 2]
        assert_sound(desk, refunds.run_id)


class TestWhatChangedSince:
    def test_c63_is_left_alone_with_an_alert_and_an_account(
        self, refunds: Refunds, desk: Desk
    ) -> None:
        somebody_else_refunds(desk, refunds.orders[1])
        roll_back(desk, refunds.run_id)
        desk.work(refunds.run_id)

        run = desk.run(refunds.run_id)
        assert (run.status, run.reason_code) == ("paused", "rollback_failed")
        assert Alert.objects.get().kind == "rollback_failed"
        assert refunds.refunded() == ["25.00", "30.00", "0.00"]
        paused = desk.database.log(refunds.run_id)[-1]
        assert [paused["payload"].count(each) for each in (b'"taken back"', b'"stands"')] == [1, 1]
        assert b'"rollback prepared"' in paused["payload"]
        assert_sound(desk, refunds.run_id)

    @pytest.mark.parametrize("how", [roll_back, resume])
    def test_is_taken_up_again_when_it_is_as_it_was(
        self, how: object, refunds: Refunds, desk: Desk
    ) -> None:
        somebody_else_refunds(desk, refunds.orders[1])
        roll_back(desk, refunds.run_id)
        desk.work(refunds.run_id)

        somebody_else_refunds(desk, refunds.orders[1], "25.00")
        how(desk, refunds.run_id)  # type: ignore[operator]
        desk.work(refunds.run_id)

        assert desk.run(refunds.run_id).status == "rolled_back"
        assert refunds.refunded() == ["0.00"] * 3
        kinds = desk.database.kinds(refunds.run_id)
        assert kinds.count("effect_intended") == 6
        assert_sound(desk, refunds.run_id)

    def test_c63_a_person_takes_back_and_confirms_and_the_rest_follows(
        self, refunds: Refunds, desk: Desk
    ) -> None:
        somebody_else_refunds(desk, refunds.orders[1])
        roll_back(desk, refunds.run_id)
        desk.work(refunds.run_id)

        confirm(desk, refunds.run_id, refunds.effects[1])
        desk.work(refunds.run_id)

        assert desk.run(refunds.run_id).status == "rolled_back"
        assert refunds.standing() == ["compensated"] * 3
        assert refunds.refunded() == ["0.00", "30.00", "0.00"]
        assert_sound(desk, refunds.run_id)

    def test_is_told_beforehand(self, refunds: Refunds, desk: Desk) -> None:
        somebody_else_refunds(desk, refunds.orders[1])

        third, second, first = api.preview_rollback(refunds.run_id).steps

        assert (first.changed, third.changed) == (None, None)
        assert second.changed is not None
        assert second.changed.before == {"refunded": "25.00"}
        assert second.changed.after == {"refunded": "30.00"}

    def test_at_the_last_moment_is_refused_by_the_target_for_good(
        self, refunds: Refunds, desk: Desk
    ) -> None:
        roll_back(desk, refunds.run_id)
        with just_before("intend_effect", lambda: somebody_else_refunds(desk, refunds.orders[2])):
            desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).reason_code == "rollback_failed"

        roll_back(desk, refunds.run_id)
        desk.work(refunds.run_id)

        assert refunds.refunded() == ["0.00", "0.00", "30.00"]
        assert desk.run(refunds.run_id).reason_code == "rollback_failed"
        assert_sound(desk, refunds.run_id)
        confirm(desk, refunds.run_id, refunds.effects[2])
        desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).status == "rolled_back"
        assert_sound(desk, refunds.run_id)


def test_two_operators_at_once_begin_one_rollback(refunds: Refunds, desk: Desk) -> None:
    run_id = refunds.run_id
    answers = in_line_for(desk.database, run_id, [lambda: roll_back(desk, run_id)] * 2)

    assert [isinstance(answer, Conflict) for answer in answers] == [False, True]
    desk.work(run_id)
    assert [desk.ledger.movements(order) for order in refunds.orders] == [2, 2, 2]


def test_an_effect_that_nobody_can_tell_is_settled_first(desk: Desk) -> None:
    run_id = desk.approved_refund().run_id
    with just_before("intend_effect", desk.ledger.shut):
        desk.work(run_id)
    desk.ledger.open()
    assert Effect.objects.get().status == "unknown"
    with pytest.raises(Conflict, match="settled first"):
        roll_back(desk, run_id)


def test_to_cancel_is_refused_while_a_rollback_waits_for_its_worker(
    refunds: Refunds, desk: Desk
) -> None:
    roll_back(desk, refunds.run_id)
    with pytest.raises(Conflict, match="being rolled back"):
        api.cancel_run(refunds.run_id, operator=reviewer(desk.people.otto), reason="Away with it.")


def test_only_operators_with_a_reason_roll_back(refunds: Refunds, desk: Desk) -> None:
    rosa, otto = reviewer(desk.people.rosa), reviewer(desk.people.otto)
    with pytest.raises(NotPermitted, match="only operators"):
        api.roll_back(refunds.run_id, operator=rosa, reason="I would like to.")
    with pytest.raises(BadInput, match="reason"):
        api.roll_back(refunds.run_id, operator=otto, reason=" ")
    with pytest.raises(BadInput, match="evidence"):
        api.confirm_by_hand(
            refunds.run_id, refunds.effects[0], operator=otto, seen_evidence="", reason="So."
        )
    with pytest.raises(NotFound):
        roll_back(desk, refunds.run_id, uuid.uuid4())
    with pytest.raises(NotFound):
        roll_back(desk, uuid.uuid4())
    with pytest.raises(Conflict, match="not paused"):
        confirm(desk, refunds.run_id, refunds.effects[0])
    assert "rollback_authorised" not in desk.database.kinds(refunds.run_id)
