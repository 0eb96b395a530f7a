"""A run that has ended is rolled back by a new run that names it; its own log takes little more."""

import uuid

import pytest

from engine import api
from engine.errors import BadInput, Conflict
from engine.models import Run
from tests.cast import AGENT, reviewer
from tests.engine.taking_back import (
    Refunds,
    assert_sound,
    confirm,
    roll_back,
    somebody_else_refunds,
)
from tests.engine.together import in_line_for
from tests.world import Desk


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


def test_two_operators_at_once_begin_one_run(refunds: Refunds, desk: Desk) -> None:
    run_id = refunds.ended().run_id
    answers = in_line_for(desk.database, run_id, [lambda: roll_back(desk, run_id)] * 2)

    (new,) = [answer for answer in answers if isinstance(answer, uuid.UUID)]
    assert [isinstance(answer, Conflict) for answer in answers].count(True) == 1, answers
    desk.work(new)
    assert [desk.ledger.movements(order) for order in refunds.orders] == [2, 2, 2]


def test_an_agent_does_not_start_a_rollback(desk: Desk) -> None:
    with pytest.raises(BadInput, match="by Placet alone"):
        desk.start_run("rollback")
