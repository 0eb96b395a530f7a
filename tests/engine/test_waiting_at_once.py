"""An event that comes while the wait for it begins is not lost, and does not count twice."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from engine.canonical import packed
from engine.store import doors, runs
from engine.waits import wait_for
from tests.engine.together import (
    PATIENCE,
    alone,
    just_before,
    together,
    wait_for_waiting,
)
from tests.engine.waits import (
    FORTNIGHT,
    KEY,
    NAME,
    SENDER,
    another,
    assert_sound,
    deliver,
    found,
    parked,
    waiting,
)
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


def door(name: str, parameters: int) -> bytes:
    """A call of a door, to be made in a transaction that the test keeps open."""
    marks = ", ".join(["%s"] * parameters)
    return f"SELECT {doors.schema()}.{name}({marks})".encode()


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
