"""Every wait has an end, at an instant that nobody has to guess."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest

from engine import sweeper
from engine.waits import Wait, Wall, at_local, ends, sleep_for, sleep_until, wait_for
from tests.engine.chain import faults_in
from tests.engine.together import (
    Connection,
    in_line_for,
)
from tests.engine.waits import (
    FORTNIGHT,
    KEY,
    NAME,
    assert_sound,
    deliver,
    ended_with,
    found,
    parked,
    waiting,
)
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


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
