"""To roll a run back is to take back what its branches did, too: the latest first of all."""

import uuid
from functools import partial

import pytest

from engine import api
from engine.branches import branch, leg
from engine.errors import Conflict
from engine.models import Effect, Run
from engine.workflows import Context, Next, Workflow, finish, propose
from tests.cast import reviewer
from tests.engine.branches import HOUR, Branches, paying, two_refunds
from tests.engine.together import in_line_for
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


def roll_back(desk: Desk, run_id: uuid.UUID) -> uuid.UUID:
    return api.roll_back(run_id, operator=reviewer(desk.people.otto), reason="It was a mistake.")


def unwind(desk: Desk, run_id: uuid.UUID) -> uuid.UUID:
    by = roll_back(desk, run_id)
    desk.work(by)
    return by


def both_paid(desk: Desk) -> Branches:
    """The vase was paid back first, then the lamp; the run has ended."""
    run = two_refunds(desk)
    run.approve("vase")
    run.approve("lamp")
    desk.work(run.run_id)
    assert run.status() == "completed"
    return run


def in_order_of_rollback(desk: Desk, by: uuid.UUID) -> list[uuid.UUID]:
    """Whose effects were taken back, in the order in which that was done."""
    rollbacks = Effect.objects.filter(run_id=by, compensates__isnull=False)
    return [one.compensates.run_id for one in rollbacks.order_by("committed_at")]


def orders(run: Branches) -> list[str]:
    found = (api.position_at(one, 1).state["order"] for one in run.legs.values())
    return [str(order) for order in found]


class TestARunThatHasEnded:
    def test_is_rolled_back_with_its_branches_the_latest_effect_first(self, desk: Desk) -> None:
        run = both_paid(desk)
        by = unwind(desk, run.run_id)

        assert desk.run(by).status == "rolled_back"
        assert in_order_of_rollback(desk, by) == [run.legs["lamp"], run.legs["vase"]]
        assert [desk.ledger.refunded(order) for order in orders(run)] == ["0.00", "0.00"]
        assert desk.database.kinds(run.legs["lamp"])[-1] == "effect_compensated"
        run.assert_sound()

    def test_shows_before_whose_effects_they_are(self, desk: Desk) -> None:
        run = both_paid(desk)

        preview = api.preview_rollback(run.run_id)

        assert [step.run_id for step in preview.steps] == [
            str(run.legs["lamp"]),
            str(run.legs["vase"]),
        ]
        assert {step.how for step in preview.steps} == {"machine"}

    def test_has_left_what_a_branch_of_it_was_rolled_back_by_itself(self, desk: Desk) -> None:
        run = both_paid(desk)
        unwind(desk, run.legs["lamp"])

        by = unwind(desk, run.run_id)

        assert in_order_of_rollback(desk, by) == [run.legs["vase"]]
        assert [desk.ledger.movements(order) for order in orders(run)] == [2, 2]

    def test_is_rolled_back_once_whoever_asks_for_which_part(self, desk: Desk) -> None:
        """Two operators at once: one means the run, the other a branch of it."""
        run = both_paid(desk)

        said = in_line_for(
            desk.database,
            run.run_id,
            [partial(roll_back, desk, run.run_id), partial(roll_back, desk, run.legs["lamp"])],
        )

        assert isinstance(said[0], uuid.UUID)
        assert isinstance(said[1], Conflict)
        assert Run.objects.filter(workflow="rollback").count() == 1

    def test_is_not_rolled_back_while_a_branch_is(self, desk: Desk) -> None:
        run = both_paid(desk)
        roll_back(desk, run.legs["lamp"])

        with pytest.raises(Conflict, match="rolled back already"):
            roll_back(desk, run.run_id)
        unwind(desk, run.legs["vase"])

    def test_has_what_a_branch_did_confirmed_where_it_was_done(self, desk: Desk) -> None:
        run, otto = both_paid(desk), reviewer(desk.people.otto)
        effect = Effect.objects.get(run_id=run.legs["lamp"])

        def confirm(run_id: uuid.UUID) -> None:
            api.confirm_by_hand(
                run_id, effect.pk, operator=otto, seen_evidence="A letter.", reason="By hand."
            )

        with pytest.raises(Conflict, match="say it there"):
            confirm(run.run_id)
        confirm(run.legs["lamp"])
        assert Effect.objects.get(pk=effect.pk).status == "compensated"
        run.assert_sound()


class TestARunThatLives:
    def test_is_not_rolled_back_while_a_branch_is_under_way(self, desk: Desk) -> None:
        run = two_refunds(desk)
        run.approve("lamp")

        with pytest.raises(Conflict, match="wait for its branches"):
            roll_back(desk, run.run_id)

    def test_is_rolled_back_with_its_branches_and_what_it_did_itself(self, desk: Desk) -> None:
        """It waits for a decision after the join, having paid before it branched."""
        run = self.paying_before_and_after(desk)
        by = unwind(desk, run.run_id)

        assert by == run.run_id
        assert run.status() == "rolled_back"
        assert in_order_of_rollback(desk, by) == [run.legs["x"], run.run_id]
        assert [desk.ledger.refunded(order) for order in self.orders] == ["0.00", "0.00"]
        run.assert_sound()

    def test_is_not_rolled_back_while_a_branch_is(self, desk: Desk) -> None:
        run = self.paying_before_and_after(desk)
        roll_back(desk, run.legs["x"])

        with pytest.raises(Conflict, match="rolled back already"):
            roll_back(desk, run.run_id)

    def test_whose_worker_loses_the_answer_of_a_branch_s_rollback_settles_it(
        self, desk: Desk
    ) -> None:
        run = self.paying_before_and_after(desk)
        by = roll_back(desk, run.run_id)
        with desk.ledger.answers_lost():
            desk.work(by)
        desk.work(by)

        assert run.status() == "rolled_back"
        assert [desk.ledger.movements(order) for order in self.orders] == [2, 2]

    def paying_before_and_after(self, desk: Desk) -> Branches:
        pays, outer = paying(), Workflow("outer", start="first")
        first_order, second_order = self.orders = [desk.purchase(), desk.purchase()]

        def refund(order: str, then: str) -> Next:
            arguments = {"order": order, "customer": "Mara Vogel", "amount": "25.00"}
            return propose("ledger.refund", arguments, why="Broken.", then=then)

        def first(ctx: Context) -> Next:
            return refund(first_order, "second")

        def second(ctx: Context) -> Next:
            said = {"x": leg(pays, {"order": second_order})}
            return branch(said, then="third", expires=HOUR)

        def third(ctx: Context) -> Next:
            return refund(first_order, "last")

        def last(ctx: Context) -> Next:
            return finish()

        outer.node(to=["second"])(first)
        outer.node(to=["third"])(second)
        outer.node(to=["last"])(third)
        outer.node(ends=True)(last)
        run_id = desk.start_run("outer")
        desk.work(run_id)
        desk.approve(desk.proposal(run_id))
        desk.work(run_id)
        run = Branches(desk, run_id)
        run.work()
        run.approve("x")
        desk.work(run_id)
        assert run.status() == "waiting_approval"
        return run


def test_a_stop_of_the_run_above_holds_the_rollback_of_a_branch(desk: Desk) -> None:
    run, otto = both_paid(desk), reviewer(desk.people.otto)
    api.stop(otto, "Something is odd.", scope=f"run:{run.run_id}")

    by = unwind(desk, run.legs["lamp"])

    assert desk.run(by).reason_code == "stop"
