"""A run waits for an event from outside: nothing is lost, and nothing counts twice."""

from typing import Any

import pytest

from engine import api, workflows
from engine.api import Delivery
from engine.errors import BadInput, TooLarge
from engine.models import InboundEvent, Proposal, Run
from engine.waits import wait_for
from engine.workflows import Context, Next, Workflow, finish
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.waits import (
    FORTNIGHT,
    KEY,
    NAME,
    SENDER,
    another,
    assert_sound,
    came,
    deliver,
    found,
    parked,
    refunded_and_waiting,
    waiting,
)
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


class TestAnEvent:
    def test_that_a_run_waits_for_brings_it_on_with_what_it_carries(self, desk: Desk) -> None:
        run_id = parked(desk)
        payload = {"parcels": 2, "grams": 1e30, "note": "ßtill wet", "a": [None, 2.50]}
        told = deliver(payload=payload)
        assert told == Delivery(outcome="delivered", run_ids=(run_id,))
        assert desk.database.hints[-1] == run_id

        desk.work(run_id)

        event = found(desk, run_id)
        assert event["payload"] == payload
        assert (event["name"], event["key"], event["external_id"]) == (NAME, KEY, "1")
        assert_sound(desk, run_id)

    def test_is_said_in_the_log_by_who_sent_it(self, desk: Desk) -> None:
        run_id = parked(desk)
        deliver()

        (event,) = [one for one in desk.database.log(run_id) if one["kind"] == "event_received"]
        assert event["actor"] == SENDER

    def test_c29_that_comes_early_is_kept_until_the_wait_begins(self, desk: Desk) -> None:
        run_id = desk.start_run(waiting())
        assert deliver(payload="early").outcome == "kept"

        desk.work(run_id)

        assert found(desk, run_id)["payload"] == "early"
        assert_sound(desk, run_id)

    def test_that_came_before_the_run_was_begun_is_the_first_one_s(self, desk: Desk) -> None:
        name = waiting()
        assert deliver().outcome == "kept"
        first, second = desk.start_run(name), desk.start_run(name)

        desk.work(first)
        desk.work(second)

        assert found(desk, first)["external_id"] == "1"
        assert desk.run(second).status == "waiting_external"

    def test_that_came_while_the_run_went_on_is_its_own_although_another_had_it(
        self, desk: Desk
    ) -> None:
        first = parked(desk)
        second = desk.start_run("made")
        assert deliver().run_ids == (first,)

        desk.work(second)

        assert found(desk, second)["external_id"] == "1"
        assert_sound(desk, second)

    def test_comes_to_every_run_that_waits_for_it(self, desk: Desk) -> None:
        waiting_runs = {parked(desk), another(desk), another(desk)}

        assert set(deliver().run_ids) == waiting_runs

        for run_id in waiting_runs:
            desk.work(run_id)
            assert found(desk, run_id)["external_id"] == "1"
            assert_sound(desk, run_id)

    def test_that_came_first_is_taken_first(self, desk: Desk) -> None:
        run_id = desk.start_run(waiting())
        deliver(external_id="2")
        deliver(external_id="1")

        desk.work(run_id)

        assert found(desk, run_id)["external_id"] == "2"

    def test_c25_of_an_id_that_was_there_before_changes_nothing(self, desk: Desk) -> None:
        run_id = parked(desk)
        deliver(payload=1)

        for told in (deliver(payload=1), deliver(payload=2), deliver(key="A-18")):
            assert told == Delivery(outcome="duplicate_ignored", run_ids=())

        assert desk.database.kinds(run_id).count("event_received") == 1
        assert InboundEvent.objects.count() == 1
        desk.work(run_id)
        assert found(desk, run_id)["payload"] == 1

    def test_of_the_same_id_under_another_name_is_another_one(self, desk: Desk) -> None:
        deliver()

        assert deliver(name="payment_arrived").outcome == "kept"

    @pytest.mark.parametrize(
        "other", [{"key": "A-1"}, {"key": "a-17"}, {"key": "A-17 "}, {"name": "shipment"}], ids=repr
    )
    def test_about_something_else_is_nothing_to_it(self, other: dict[str, str], desk: Desk) -> None:
        run_id = parked(desk)

        assert deliver(**other).outcome == "kept"

        assert desk.work(run_id).outcome == "nothing to do"
        assert desk.run(run_id).status == "waiting_external"

    def test_is_taken_by_one_wait_and_the_next_wait_takes_the_next(self, desk: Desk) -> None:
        made = Workflow("made", start="first")

        def first(ctx: Context) -> Next:
            return wait_for(NAME, key=KEY, then="second", expires=FORTNIGHT)

        def second(ctx: Context) -> Next:
            return wait_for(NAME, key=KEY, then="came", expires=FORTNIGHT)

        made.node(to=["second"])(first)
        made.node(to=["came"])(second)
        made.node(ends=True)(came)
        run_id = desk.start_run("made")
        deliver(external_id="1")
        desk.work(run_id)
        assert desk.run(run_id).current_node == "second"
        assert desk.run(run_id).status == "waiting_external"

        deliver(external_id="2")
        desk.work(run_id)

        assert found(desk, run_id)["external_id"] == "2"
        assert_sound(desk, run_id)

    @pytest.mark.parametrize(
        ("field", "wrong"),
        [
            ("name", ""),
            ("name", "two words"),
            ("key", ""),
            ("key", "x" * 201),
            ("key", "nul\0"),
            ("key", 17),
            ("external_id", ""),
            ("payload", {"a": float("nan")}),
            ("payload", 2**60),
        ],
        ids=repr,
    )
    def test_that_cannot_be_kept_exactly_is_refused(
        self, field: str, wrong: Any, desk: Desk
    ) -> None:
        with pytest.raises(BadInput) as refused:
            deliver(**{field: wrong})
        assert refused.value.path.startswith(f"$.{field}")
        assert not InboundEvent.objects.exists()

    def test_that_carries_too_much_is_refused(self, desk: Desk) -> None:
        with pytest.raises(TooLarge):
            deliver(payload=["x" * 60_000] * 5)


class TestAnEventForARunThat:
    def test_is_paused_waits_until_it_goes_on(self, desk: Desk) -> None:
        run_id, otto = parked(desk), reviewer(desk.people.otto)
        api.pause_run(run_id, operator=otto, reason="Wait.")
        desk.work(run_id)

        assert deliver().run_ids == (run_id,)
        assert desk.work(run_id).outcome == "nothing to do"
        assert desk.run(run_id).status == "paused"

        api.resume_run(run_id, reviewer=otto, reason="Go on.")
        desk.work(run_id)
        assert found(desk, run_id)["external_id"] == "1"
        assert_sound(desk, run_id)

    def test_was_paused_and_goes_on_waits_on_for_it(self, desk: Desk) -> None:
        run_id, otto = parked(desk), reviewer(desk.people.otto)
        before = desk.run(run_id).wake_at
        api.pause_run(run_id, operator=otto, reason="Wait.")
        desk.work(run_id)
        api.resume_run(run_id, reviewer=otto, reason="Go on.")
        desk.work(run_id)

        run = desk.run(run_id)
        assert (run.status, run.wake_at) == ("waiting_external", before)
        assert desk.database.kinds(run_id).count("wait_begun") == 1
        deliver()
        desk.work(run_id)
        assert found(desk, run_id)

    def test_is_stopped_brings_it_on_to_where_the_stop_holds_it(self, desk: Desk) -> None:
        """A stop lets nothing out; that something came in is a fact all the same."""
        order = desk.purchase()
        run_id = desk.start_run(
            "refund_on_return", order=order, customer="Mara Vogel", amount="25.00"
        )
        desk.work(run_id)
        api.stop_everything(reviewer(desk.people.otto), "Something is odd.")

        assert deliver(name="goods_returned", key=order).run_ids == (run_id,)
        desk.work(run_id)

        run = desk.run(run_id)
        assert (run.current_node, run.status, run.reason_code) == ("pay_back", "paused", "stop")
        assert not Proposal.objects.filter(run_id=run_id).exists()
        assert desk.ledger.movements(order) == 0
        assert_sound(desk, run_id)

    @pytest.mark.parametrize("comes_first", [True, False], ids=["before", "after"])
    def test_is_rolled_back_while_it_waits_changes_nothing_of_that(
        self, comes_first: bool, desk: Desk
    ) -> None:
        run_id = refunded_and_waiting(desk, order := desk.purchase())
        otto = reviewer(desk.people.otto)
        if comes_first:
            deliver()
        api.roll_back(run_id, operator=otto, reason="It was the wrong order.")
        if not comes_first:
            deliver()
        desk.work(run_id)

        assert desk.run(run_id).status == "rolled_back"
        assert desk.ledger.refunded(order) == "0.00"
        assert deliver(external_id="another").outcome == "kept"
        assert_sound(desk, run_id)

    def test_has_ended_is_kept_and_its_log_stays_as_it_is(self, desk: Desk) -> None:
        run_id, otto = parked(desk), reviewer(desk.people.otto)
        api.cancel_run(run_id, operator=otto, reason="Not wanted any more.")
        desk.work(run_id)
        before = desk.database.kinds(run_id)
        assert desk.run(run_id).status == "cancelled"

        assert deliver().outcome == "kept"

        assert desk.database.kinds(run_id) == before
        assert_sound(desk, run_id)


def test_the_node_that_waits_is_not_run_again(desk: Desk) -> None:
    """What it said holds, however often the run is taken up."""
    visits: list[Context] = []
    name = waiting()
    node = workflows.get(name).nodes["first"]
    counted = workflows.Node(
        name="first",
        function=lambda ctx: visits.append(ctx) or node.function(ctx),  # type: ignore[func-returns-value]
        to=node.to,
        ends=False,
    )
    workflows.get(name).nodes["first"] = counted
    run_id = desk.start_run(name)
    desk.work(run_id)
    desk.database.execute("UPDATE engine_run SET wake_at = now() WHERE run_id = %s", run_id)
    desk.work(run_id)
    deliver()
    desk.work(run_id)

    assert found(desk, run_id)
    assert len(visits) == 1


def test_only_the_node_after_the_wait_sees_the_event(desk: Desk) -> None:
    seen: dict[str, Any] = {}
    made = Workflow("made", start="first")

    def first(ctx: Context) -> Next:
        seen["first"] = ctx.event
        return wait_for(NAME, key=KEY, then="second", expires=FORTNIGHT)

    def second(ctx: Context) -> Next:
        seen["second"] = ctx.event
        return workflows.go("third")

    def third(ctx: Context) -> Next:
        seen["third"] = ctx.event
        return finish()

    made.node(to=["second"])(first)
    made.node(to=["third"])(second)
    made.node(ends=True)(third)
    run_id = desk.start_run("made")
    desk.work(run_id)
    deliver(payload=7)
    desk.work(run_id)

    assert (seen["first"], seen["second"]["payload"], seen["third"]) == (None, 7, None)


class TestAFork:
    def test_from_after_the_wait_has_the_event_too(self, desk: Desk) -> None:
        run_id = parked(desk)
        deliver(payload=7)
        desk.work(run_id)
        kinds = desk.database.kinds(run_id)
        otto = reviewer(desk.people.otto)

        new = api.fork_run(run_id, kinds.index("run_moved") + 1, operator=otto, reason="Again.")
        desk.work(new)

        assert found(desk, new)["payload"] == 7
        assert_sound(desk, new)

    def test_from_within_the_wait_waits_anew(self, desk: Desk) -> None:
        run_id = parked(desk)
        otto = reviewer(desk.people.otto)
        new = api.fork_run(run_id, desk.run(run_id).last_seq, operator=otto, reason="Again.")
        desk.work(new)

        assert set(deliver().run_ids) == {run_id, new}
        desk.work(new)
        assert found(desk, new)
        assert_sound(desk, new)


def test_a_kept_event_is_a_fact_of_the_day_s_log(desk: Desk) -> None:
    deliver(payload={"parcels": 2})

    day = Run.objects.get(workflow="system.inbound")
    assert desk.database.kinds(day.pk) == ["stream_begun", "event_kept"]
    assert faults_in(desk.database, day.pk) == []
