"""An operator takes back what a run did: the latest effect first, each through the gate and
verified; what is left is taken up by a repeat, and what only a person can do, a person confirms."""

import uuid

import pytest

from engine import api, sweeper
from engine.errors import BadInput, Conflict, NotFound, NotPermitted
from engine.models import Alert, Effect, Run
from tests.cast import AGENT, all_go_on, reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import in_line_for, just_before
from tests.world import Desk


class Refunds:
    """A run of three refunds, each on an order of its own; all committed."""

    def __init__(self, desk: Desk, count: int = 3) -> None:
        self.desk = desk
        self.run_id = desk.start_run()
        self.orders = [desk.purchase() for _ in range(count)]
        for order in self.orders:
            desk.ask_for_refund(self.run_id, order)
            desk.work(self.run_id)
            desk.approve(desk.proposal(self.run_id))
            desk.work(self.run_id)
        self.effects = [effect.pk for effect in Effect.objects.order_by("committed_at")]

    def ended(self) -> "Refunds":
        api.finish_run(self.run_id, agent=AGENT)
        self.desk.work(self.run_id)
        assert self.desk.run(self.run_id).status == "completed"
        return self

    def refunded(self) -> list[str]:
        return [self.desk.ledger.refunded(order) for order in self.orders]

    def standing(self) -> list[str]:
        return [Effect.objects.get(pk=effect).status for effect in self.effects]


@pytest.fixture
def refunds(desk: Desk) -> Refunds:
    return Refunds(desk)


def roll_back(desk: Desk, run_id: uuid.UUID, *effects: uuid.UUID) -> uuid.UUID:
    return api.roll_back(
        run_id,
        operator=reviewer(desk.people.otto),
        reason="The lamps were sound.",
        effect_ids=effects or None,
    )


def confirm(desk: Desk, run_id: uuid.UUID, effect: uuid.UUID) -> None:
    api.confirm_by_hand(
        run_id,
        effect,
        operator=reviewer(desk.people.otto),
        seen_evidence="The bank's letter of today.",
        reason="I had it paid back.",
    )


def resume(desk: Desk, run_id: uuid.UUID) -> None:
    api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="Go on.")


def assert_sound(desk: Desk, *runs: uuid.UUID) -> None:
    for run_id in runs:
        assert faults_in(desk.database, run_id) == []
        assert_tables_match_the_log(desk.database, run_id)


def somebody_else_refunds(desk: Desk, order: str, amount: str = "30.00") -> None:
    desk.ledger.execute(
        "UPDATE purchase SET refunded = %s::numeric WHERE order_no = %s", amount, order
    )


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


class TestARunThatHasEnded:
    def test_is_rolled_back_by_a_new_run_that_names_it(self, refunds: Refunds, desk: Desk) -> None:
        before = desk.database.kinds(refunds.ended().run_id)
        run_id = roll_back(desk, refunds.run_id)
        desk.work(run_id)

        run = desk.run(run_id)
        assert run_id != refunds.run_id
        assert (run.workflow, run.status) == ("rollback", "rolled_back")
        assert str(run.forked_from).startswith(f"{refunds.run_id}@")
        assert refunds.refunded() == ["0.00"] * 3
        assert desk.run(refunds.run_id).status == "completed"
        after = desk.database.kinds(refunds.run_id)
        assert after == [*before, *["effect_compensated"] * 3]
        assert_sound(desk, run_id, refunds.run_id)

    def test_in_part_ends_the_new_run(self, refunds: Refunds, desk: Desk) -> None:
        run_id = roll_back(desk, refunds.ended().run_id, refunds.effects[0])
        desk.work(run_id)
        assert desk.run(run_id).status == "rolled_back"
        assert refunds.standing() == ["compensated", "succeeded", "succeeded"]

        again = roll_back(desk, refunds.run_id)
        desk.work(again)
        assert refunds.standing() == ["compensated"] * 3
        assert_sound(desk, run_id, again, refunds.run_id)

    def test_is_not_rolled_back_twice(self, refunds: Refunds, desk: Desk) -> None:
        run_id = roll_back(desk, refunds.ended().run_id)
        with pytest.raises(Conflict, match="already"):
            roll_back(desk, refunds.run_id)
        desk.work(run_id)
        with pytest.raises(Conflict, match="nothing of this run stands"):
            roll_back(desk, refunds.run_id)

    def test_whose_rollback_is_stuck_is_gone_on_with_there(
        self, refunds: Refunds, desk: Desk
    ) -> None:
        run_id = roll_back(desk, refunds.ended().run_id)
        somebody_else_refunds(desk, refunds.orders[0])
        desk.work(run_id)
        assert desk.run(run_id).reason_code == "rollback_failed"

        with pytest.raises(Conflict, match="say it there"):
            confirm(desk, refunds.run_id, refunds.effects[0])
        confirm(desk, run_id, refunds.effects[0])
        desk.work(run_id)

        assert desk.run(run_id).status == "rolled_back"
        assert_sound(desk, run_id, refunds.run_id)

    @pytest.mark.parametrize("scope", ["workflow:agent", AGENT, "run:{}"])
    def test_is_left_alone_under_a_stop_that_covered_it(
        self, scope: str, refunds: Refunds, desk: Desk
    ) -> None:
        scope = scope.format(refunds.ended().run_id)
        api.stop(reviewer(desk.people.otto), "Something is odd.", scope=scope)
        run_id = roll_back(desk, refunds.run_id)
        desk.work(run_id)
        assert desk.run(run_id).reason_code == "stop"
        assert refunds.refunded() == ["25.00"] * 3

        api.go_on(reviewer(desk.people.otto), "It was nothing.", scope=scope)
        desk.work(run_id)
        assert desk.run(run_id).status == "rolled_back"
        assert_sound(desk, run_id, refunds.run_id)

    def test_is_taken_back_by_hand_without_any_run(self, refunds: Refunds, desk: Desk) -> None:
        confirm(desk, refunds.ended().run_id, refunds.effects[0])

        assert refunds.standing() == ["compensated", "succeeded", "succeeded"]
        assert Run.objects.count() == 1
        assert_sound(desk, refunds.run_id)

    def test_c67_and_was_a_rollback_is_not_rolled_back(self, refunds: Refunds, desk: Desk) -> None:
        run_id = roll_back(desk, refunds.ended().run_id)
        desk.work(run_id)
        with pytest.raises(Conflict, match="a rollback itself"):
            roll_back(desk, run_id)


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


def test_two_operators_at_once_begin_one_rollback(refunds: Refunds, desk: Desk) -> None:
    run_id = refunds.run_id
    answers = in_line_for(desk.database, run_id, [lambda: roll_back(desk, run_id)] * 2)

    assert [isinstance(answer, Conflict) for answer in answers] == [False, True]
    desk.work(run_id)
    assert [desk.ledger.movements(order) for order in refunds.orders] == [2, 2, 2]


def test_two_operators_at_once_begin_one_run(refunds: Refunds, desk: Desk) -> None:
    run_id = refunds.ended().run_id
    answers = in_line_for(desk.database, run_id, [lambda: roll_back(desk, run_id)] * 2)

    (new,) = [answer for answer in answers if isinstance(answer, uuid.UUID)]
    assert [isinstance(answer, Conflict) for answer in answers].count(True) == 1, answers
    desk.work(new)
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


def test_an_agent_does_not_start_a_rollback(desk: Desk) -> None:
    with pytest.raises(BadInput, match="by Placet alone"):
        desk.start_run("rollback")
