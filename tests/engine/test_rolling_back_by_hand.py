"""What only a person can take back, a person confirms; the run goes on from there."""

import uuid

import pytest

from engine import api
from engine.models import Alert, Effect
from tests.cast import AGENT, reviewer
from tests.engine.taking_back import (
    Refunds,
    assert_sound,
    confirm,
    resume,
    roll_back,
)
from tests.engine.together import just_before
from tests.world import Desk


class TestWhatCannotBeTakenBackByItself:
    @pytest.fixture
    def run_id(self, desk: Desk) -> uuid.UUID:
        """A refund, and then something that is done for good."""
        refunds = Refunds(desk, 1)
        self.order = refunds.orders[0]
        api.request_effect(
            refunds.run_id,
            agent=AGENT,
            action="ledger.reverse_refund",
            arguments={
                "order": refunds.orders[0],
                "amount": "5.00",
                "before": "20.00",
                "found": "25.00",
            },
            why="It was too much.",
            rollback_reason="The mistake is worse.",
        )
        desk.work(refunds.run_id)
        desk.approve(desk.proposal(refunds.run_id))
        desk.work(refunds.run_id)
        return refunds.run_id

    def test_is_previewed_with_what_a_person_must_do(self, run_id: uuid.UUID) -> None:
        last, first = api.preview_rollback(run_id).steps
        assert (last.how, last.kind) == ("by_hand", "none")
        assert "not rolled back in turn" in last.why
        assert (first.how, first.kind) == ("machine", "in_band")

    def test_is_left_standing_until_a_person_confirms_it(
        self, run_id: uuid.UUID, desk: Desk
    ) -> None:
        desk.ledger.execute("UPDATE purchase SET refunded = 25.00")
        last = api.preview_rollback(run_id).steps[0]
        roll_back(desk, run_id)
        desk.work(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("paused", "rollback_failed")
        assert "1 effect(s)" in Alert.objects.get().summary
        assert Effect.objects.get(pk=last.effect_id).status == "succeeded"

        confirm(desk, run_id, uuid.UUID(last.effect_id))
        desk.work(run_id)
        assert desk.run(run_id).status == "rolled_back"
        assert_sound(desk, run_id)

    def test_may_be_left_standing_and_the_run_goes_on(self, run_id: uuid.UUID, desk: Desk) -> None:
        last = api.preview_rollback(run_id).steps[0]
        roll_back(desk, run_id, uuid.UUID(last.effect_id))
        desk.work(run_id)
        assert desk.run(run_id).status == "paused"

        resume(desk, run_id)
        desk.work(run_id)
        assert desk.run(run_id).status == "waiting_external"
        assert_sound(desk, run_id)


class TestWhatWasSeenToBeWrong:
    @pytest.fixture
    def effect(self, desk: Desk) -> Effect:
        """Ruled to have happened in part: the run stands still, nothing is committed."""
        run_id = desk.approved_refund().run_id
        with just_before("intend_effect", desk.ledger.shut):
            desk.work(run_id)
        while desk.run(run_id).status != "paused":
            desk.work_on_after_waiting(run_id)
        desk.ledger.open()
        effect = Effect.objects.get()
        api.resolve_effect(
            run_id,
            effect.pk,
            operator=reviewer(desk.people.otto),
            resolution="partly",
            reason="I asked the bank.",
            seen_evidence="Their letter of today.",
            resource_id="A-1",
        )
        desk.work(run_id)
        assert desk.run(run_id).reason_code == "verification_failed"
        return effect

    def test_is_left_to_a_person_where_no_answer_is_kept(self, effect: Effect, desk: Desk) -> None:
        roll_back(desk, effect.run_id)
        desk.work(effect.run_id)
        assert desk.run(effect.run_id).reason_code == "rollback_failed"

        confirm(desk, effect.run_id, effect.pk)
        desk.work(effect.run_id)

        assert desk.run(effect.run_id).status == "rolled_back"
        assert_sound(desk, effect.run_id)

    def test_is_confirmed_by_hand_at_once(self, effect: Effect, desk: Desk) -> None:
        confirm(desk, effect.run_id, effect.pk)
        desk.work(effect.run_id)

        assert desk.run(effect.run_id).status == "rolled_back"
        assert_sound(desk, effect.run_id)


def test_what_was_done_by_hand_takes_an_open_proposal_off_the_table(
    refunds: Refunds, desk: Desk
) -> None:
    desk.ask_for_refund(refunds.run_id, desk.purchase())
    desk.work(refunds.run_id)
    api.pause_run(refunds.run_id, operator=reviewer(desk.people.otto), reason="Wait.")
    desk.work(refunds.run_id)

    for effect in refunds.effects:
        confirm(desk, refunds.run_id, effect)
    desk.work(refunds.run_id)

    assert desk.run(refunds.run_id).status == "rolled_back"
    assert desk.proposal(refunds.run_id).status == "withdrawn"
    assert refunds.refunded() == ["25.00"] * 3
    assert_sound(desk, refunds.run_id)


class TestAfterAMismatch:
    @pytest.fixture
    def refunds(self, desk: Desk) -> Refunds:
        """A refund that stands, and a second one that went wrong and was rolled back."""
        refunds = Refunds(desk, 1)
        order = desk.purchase(handling_fee="1.50")
        desk.ask_for_refund(refunds.run_id, order)
        desk.work(refunds.run_id)
        desk.approve(desk.proposal(refunds.run_id))
        desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).reason_code == "verification_failed"
        return refunds

    def test_an_operator_takes_back_what_stands(self, refunds: Refunds, desk: Desk) -> None:
        roll_back(desk, refunds.run_id)
        desk.work(refunds.run_id)

        assert desk.run(refunds.run_id).status == "rolled_back"
        assert refunds.refunded() == ["0.00"]
        assert_sound(desk, refunds.run_id)

    def test_or_lets_the_run_go_on(self, refunds: Refunds, desk: Desk) -> None:
        resume(desk, refunds.run_id)
        desk.work(refunds.run_id)
        assert desk.run(refunds.run_id).status == "waiting_external"
        assert_sound(desk, refunds.run_id)
