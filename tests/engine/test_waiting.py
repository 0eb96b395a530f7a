"""A run waits for an event from outside, or for a time: nothing is lost, nothing counts twice, and
every wait has an end."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest

from engine import api, sweeper, workflows
from engine.api import Delivery
from engine.canonical import packed
from engine.errors import BadInput, TooLarge
from engine.models import InboundEvent, Proposal, Run
from engine.store import doors, runs
from engine.waits import Wait, Wall, at_local, ends, sleep_for, sleep_until, wait_for
from engine.workflows import Context, Next, Workflow, finish, propose
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.engine.together import (
    PATIENCE,
    Connection,
    alone,
    in_line_for,
    just_before,
    together,
    wait_for_waiting,
)
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")

NAME, KEY, SENDER = "shipment_arrived", "A-17", "agent:warehouse"
FORTNIGHT = timedelta(days=14)


def came(ctx: Context) -> Next:
    return finish(event=ctx.event)


def late(ctx: Context) -> Next:
    return finish(event=ctx.event)


def waiting(wait: Wait | None = None) -> str:
    """A workflow whose first node says so: unless said otherwise, it waits a fortnight."""
    wait = wait or wait_for(NAME, key=KEY, then="came", expires=FORTNIGHT, otherwise="late")
    made = Workflow("made", start="first")

    def first(ctx: Context) -> Next:
        return wait

    made.node(to=["came", "late"])(first)
    made.node(ends=True)(came)
    made.node(ends=True)(late)
    made.check()
    return "made"


def refunded_and_waiting(desk: Desk, order: str) -> uuid.UUID:
    """A run that has paid back and waits now."""
    arguments = {"order": order, "customer": "Mara Vogel", "amount": "25.00"}
    made = Workflow("made", start="pay")

    def pay(ctx: Context) -> Next:
        return propose("ledger.refund", arguments, why="It arrived broken.", then="first")

    def first(ctx: Context) -> Next:
        return wait_for(NAME, key=KEY, then="came", expires=FORTNIGHT)

    made.node(to=["first"])(pay)
    made.node(to=["came"])(first)
    made.node(ends=True)(came)
    run_id = desk.start_run("made")
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    desk.work(run_id)
    assert desk.run(run_id).status == "waiting_external"
    return run_id


def deliver(key: str = KEY, external_id: str = "1", payload: Any = None, **more: Any) -> Delivery:
    return api.deliver_event(
        more.get("name", NAME), key, external_id, payload, sender=more.get("sender", SENDER)
    )


def parked(desk: Desk, wait: Wait | None = None) -> uuid.UUID:
    """A run that a worker has brought to its wait."""
    run_id = desk.start_run(waiting(wait))
    desk.work(run_id)
    assert desk.run(run_id).status == "waiting_external"
    return run_id


def another(desk: Desk) -> uuid.UUID:
    run_id = desk.start_run("made")
    desk.work(run_id)
    return run_id


def found(desk: Desk, run_id: uuid.UUID) -> Any:
    """The event as the node after the wait saw it."""
    run = desk.run(run_id)
    assert (run.status, run.current_node) == ("completed", "came")
    return ended_with(desk, run_id)["event"]


def ended_with(desk: Desk, run_id: uuid.UUID) -> Any:
    """What the last node had set."""
    return json.loads(desk.database.log(run_id)[-1]["payload"])["set"]


def assert_sound(desk: Desk, run_id: uuid.UUID) -> None:
    assert faults_in(desk.database, run_id) == []
    assert_tables_match_the_log(desk.database, run_id)


def door(name: str, parameters: int) -> bytes:
    """A call of a door, to be made in a transaction that the test keeps open."""
    marks = ", ".join(["%s"] * parameters)
    return f"SELECT {doors.schema()}.{name}({marks})".encode()


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


class TestWhileTheWaitBegins:
    """Whatever the order, the event comes to the run, once."""

    @pytest.mark.parametrize("door", ["claim_run_if_free", "begin_wait", "run_parked"])
    def test_c29_an_event_right_before_this_is_not_lost(self, door: str, desk: Desk) -> None:
        run_id = desk.start_run(waiting())

        with just_before(door, deliver):
            desk.work(run_id)

        assert found(desk, run_id)["external_id"] == "1"
        assert desk.database.kinds(run_id).count("event_received") == 1
        assert_sound(desk, run_id)

    def test_an_event_that_is_just_being_written_down_is_taken(self, desk: Desk) -> None:
        run_id = desk.start_run(waiting())
        arrival = [SENDER, NAME, KEY, "1", "null", None]

        with ThreadPoolExecutor(1) as thread:
            with desk.database.connected() as outside, outside.transaction():
                outside.execute(door("deliver_event", 6), arrival)
                work = thread.submit(alone, desk.work, run_id)
                wait_for_waiting(desk.database, 1)
            work.result(PATIENCE)

        assert found(desk, run_id)["external_id"] == "1"

    def test_an_event_while_the_wait_is_just_being_written_down_comes_to_it(
        self, desk: Desk
    ) -> None:
        run_id = desk.start_run(waiting())
        case = runs.claim_run_if_free(run_id, "here:1", 30.0)
        assert case is not None
        wait = wait_for(NAME, key=KEY, then="came", expires=FORTNIGHT).begun(datetime.now(UTC))
        begun = [run_id, case["token"], case["last_seq"], "system:worker", packed(wait), None, None]

        with ThreadPoolExecutor(1) as thread:
            with desk.database.connected() as worker, worker.transaction():
                worker.execute(door("begin_wait", 7), begun)
                told = thread.submit(alone, deliver)
                wait_for_waiting(desk.database, 1)
            assert told.result(PATIENCE).run_ids == (run_id,)

    def test_an_event_at_the_same_moment_is_not_lost(self, desk: Desk) -> None:
        name = waiting()
        for number in range(12):
            run_id = desk.start_run(name)
            worked, told = together(
                [lambda: desk.work(run_id), lambda: deliver(external_id=str(number))]  # noqa: B023
            )
            assert told.outcome in ("kept", "delivered"), (worked, told)
            desk.work(run_id)
            assert found(desk, run_id)["external_id"] == str(number)
            assert desk.database.kinds(run_id).count("event_received") == 1

    def test_two_runs_and_two_events_at_once_do_not_stand_in_each_other_s_way(
        self, desk: Desk
    ) -> None:
        both = [parked(desk), another(desk)]

        told = together([lambda: deliver(external_id="1"), lambda: deliver(external_id="2")])

        assert sorted(one.outcome for one in told) == ["delivered", "kept"]
        for run_id in both:
            desk.work(run_id)
            assert found(desk, run_id)

    def test_c25_the_same_event_sent_twice_at_once_counts_once(self, desk: Desk) -> None:
        run_id = parked(desk)

        told = together([deliver, deliver, deliver])

        assert sorted(one.outcome for one in told) == [
            "delivered",
            "duplicate_ignored",
            "duplicate_ignored",
        ]
        assert desk.database.kinds(run_id).count("event_received") == 1


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


class TestAWaitThatIsOver:
    def test_goes_where_the_node_said(self, desk: Desk) -> None:
        run_id = parked(desk)

        desk.work_on_after_waiting(run_id)

        run = desk.run(run_id)
        assert (run.status, run.current_node) == ("completed", "late")
        assert ended_with(desk, run_id) == {"event": None}

    def test_ends_the_run_where_it_said_nothing(self, desk: Desk) -> None:
        run_id = parked(desk, wait_for(NAME, key=KEY, then="came", expires=FORTNIGHT))

        desk.work_on_after_waiting(run_id)

        run = desk.run(run_id)
        assert (run.status, run.reason_code) == ("cancelled", "expired")

    def test_is_not_over_before_its_time(self, desk: Desk) -> None:
        run_id = parked(desk)
        desk.database.execute("UPDATE engine_run SET wake_at = now() WHERE run_id = %s", run_id)

        desk.work(run_id)

        assert desk.run(run_id).status == "waiting_external"
        assert_sound(desk, run_id)

    def test_takes_no_event_any_more_although_no_worker_has_come_by(self, desk: Desk) -> None:
        run_id = parked(desk)
        desk.database.time_passes_for(run_id)

        assert deliver().outcome == "kept"

        desk.work(run_id)
        assert desk.run(run_id).current_node == "late"

    def test_is_not_over_where_the_event_was_there_in_time(self, desk: Desk) -> None:
        """However late a worker comes by."""
        run_id = parked(desk)
        deliver()

        desk.work_on_after_waiting(run_id)

        assert found(desk, run_id)

    @pytest.mark.parametrize("first", ["worker", "event"])
    def test_and_an_event_at_that_moment_have_one_outcome(self, first: str, desk: Desk) -> None:
        """The log has one of the two, whoever comes to the run's row first, and the run follows."""
        run_id = parked(desk)
        desk.database.execute("UPDATE engine_run SET wake_at = now() WHERE run_id = %s", run_id)
        acts = [lambda: desk.work(run_id), deliver]

        def time_is_up(holder: Connection) -> None:
            # Both have begun. The run's own row is left alone: who waits for it keeps its place.
            holder.execute("UPDATE engine_wait SET until = clock_timestamp()")

        in_line_for(
            desk.database,
            run_id,
            acts if first == "worker" else acts[::-1],
            meanwhile=time_is_up,
        )
        desk.work(run_id)

        kinds = desk.database.kinds(run_id)
        assert kinds.count("event_received") + kinds.count("wait_elapsed") == 1
        node = "came" if "event_received" in kinds else "late"
        assert node == ("late" if first == "worker" else "came")
        assert desk.run(run_id).current_node == node
        assert faults_in(desk.database, run_id) == []


class TestATime:
    def test_of_forty_days_costs_nothing_and_is_found_when_it_has_come(self, desk: Desk) -> None:
        run_id = parked(desk, sleep_for(timedelta(days=40), then="came"))
        run = desk.run(run_id)
        assert (run.lease_owner, run.lease_until) == (None, None)
        assert run.wake_at is not None
        assert abs(run.wake_at - run.last_at - timedelta(days=40)) < timedelta(minutes=1)
        assert sweeper.run_once().runs == ()

        desk.database.time_passes_for(run_id)

        assert sweeper.run_once().runs == (run_id,)
        desk.work(run_id)
        assert desk.run(run_id).current_node == "came"

    def test_with_a_zone_is_that_instant(self, desk: Desk) -> None:
        moment = datetime.fromisoformat("2031-05-06T07:08:09+02:00")
        run_id = parked(desk, sleep_until(moment, then="came"))

        assert desk.run(run_id).wake_at == moment

    def test_that_is_over_already_goes_on_at_the_next_sweep(self, desk: Desk) -> None:
        run_id = parked(desk, sleep_until(datetime(2020, 1, 1, tzinfo=UTC), then="came"))

        assert sweeper.run_once().runs == (run_id,)
        desk.work(run_id)

        assert desk.run(run_id).current_node == "came"
        assert_sound(desk, run_id)

    def test_on_some_wall_is_kept_as_an_instant(self, desk: Desk) -> None:
        run_id = parked(desk, at_local("Europe/Berlin", wall("2031-07-01T09:00"), then="came"))

        assert desk.run(run_id).wake_at == datetime(2031, 7, 1, 7, tzinfo=UTC)


NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)


def wall(text: str) -> datetime:
    """What some clock shows; no zone is meant."""
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("zone", "shown", "instant"),
    [
        ("Europe/Berlin", wall("2027-03-27T02:30"), "2027-03-27T01:30Z"),
        # 02:00 to 03:00 is left out: the first instant after the gap is 03:00 there.
        ("Europe/Berlin", wall("2027-03-28T02:00"), "2027-03-28T01:00Z"),
        ("Europe/Berlin", wall("2027-03-28T02:30"), "2027-03-28T01:00Z"),
        ("Europe/Berlin", wall("2027-03-28T02:59:59.999999"), "2027-03-28T01:00Z"),
        ("Europe/Berlin", wall("2027-03-28T03:00"), "2027-03-28T01:00Z"),
        ("Europe/Berlin", wall("2027-03-28T03:30"), "2027-03-28T01:30Z"),
        # 02:00 to 03:00 comes twice: the first of the two.
        ("Europe/Berlin", wall("2027-10-31T02:30"), "2027-10-31T00:30Z"),
        ("Europe/Berlin", wall("2027-10-31T02:30").replace(fold=1), "2027-10-31T00:30Z"),
        ("Europe/Berlin", wall("2027-10-31T03:00"), "2027-10-31T02:00Z"),
        # Half an hour, at 02:00, and south of the equator.
        ("Australia/Lord_Howe", wall("2027-10-03T02:10"), "2027-10-02T15:30Z"),
        # Midnight itself is left out; and once in Samoa a whole day was.
        ("Africa/Cairo", date(2027, 4, 30), "2027-04-29T22:00Z"),
        ("Pacific/Apia", wall("2011-12-30T09:00"), "2011-12-30T10:00Z"),
        ("Asia/Kathmandu", date(2027, 5, 1), "2027-04-30T18:15Z"),
        # Today, tomorrow where it is over; the clocks are those of the zone.
        ("Europe/Berlin", time(14), "2027-03-01T13:00Z"),
        ("Europe/Berlin", time(13), "2027-03-02T12:00Z"),
        ("Pacific/Auckland", time(2), "2027-03-01T13:00Z"),
    ],
    ids=str,
)
def test_c30_what_clocks_show_is_one_instant(zone: str, shown: Any, instant: str) -> None:
    assert ends(Wall(zone=zone, shown=shown), NOW) == datetime.fromisoformat(instant)


def test_c30_every_morning_at_nine_is_nine_across_the_change() -> None:
    moments, now = [], datetime(2027, 3, 27, 0, tzinfo=UTC)
    for _ in range(3):
        now = ends(Wall(zone="Europe/Berlin", shown=time(9)), now)
        moments.append(now)

    assert [f"{moment:%d %H:%M}" for moment in moments] == ["27 08:00", "28 07:00", "29 07:00"]


class TestAWaitIsRefused:
    @pytest.mark.parametrize("expires", [None, timedelta(), timedelta(seconds=-1), 60], ids=repr)
    def test_without_an_expiry(self, expires: Any) -> None:
        with pytest.raises(ValueError, match="needs an expiry"):
            wait_for(NAME, key=KEY, then="came", expires=expires)

    def test_until_a_time_of_no_zone(self) -> None:
        with pytest.raises(ValueError, match="without a zone"):
            sleep_until(wall("2027-01-01T00:00"), then="came")

    @pytest.mark.parametrize("end", [None, "tomorrow", 7], ids=repr)
    def test_without_any_end(self, end: Any) -> None:
        with pytest.raises(ValueError, match="needs an end"):
            Wait(then="came", end=end)

    @pytest.mark.parametrize("name", ["", "two words", "x" * 201], ids=len)
    def test_for_what_nobody_could_send(self, name: str) -> None:
        with pytest.raises(ValueError, match="no name for an event"):
            wait_for(name, key=KEY, then="came", expires=FORTNIGHT)

    @pytest.mark.parametrize("key", ["", None, 17, "x" * 201], ids=repr)
    def test_for_what_is_about_nothing(self, key: Any) -> None:
        with pytest.raises(ValueError, match="is a text of"):
            wait_for(NAME, key=key, then="came", expires=FORTNIGHT)

    @pytest.mark.parametrize(
        "wait",
        [
            wait_for(NAME, key=KEY, then="elsewhere", expires=FORTNIGHT),
            wait_for(NAME, key=KEY, then="came", expires=FORTNIGHT, otherwise="elsewhere"),
            sleep_for(FORTNIGHT, then="first"),
            at_local("Middle/Earth", time(9), then="came"),
            at_local("Europe/Berlin", NOW, then="came"),
        ],
        ids=["then", "otherwise", "itself", "zone", "zoned"],
    )
    def test_at_the_visit_and_nothing_has_begun(self, wait: Wait, desk: Desk) -> None:
        run_id = desk.start_run(waiting(wait))

        desk.work(run_id)

        assert desk.run(run_id).current_node == "first"
        assert desk.database.kinds(run_id)[-1] == "node_failed"
        assert "wait_begun" not in desk.database.kinds(run_id)


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
