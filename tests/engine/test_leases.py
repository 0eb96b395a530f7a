"""One worker at a time: a stale token changes nothing, a lapsed lease stays lapsed."""

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest

from engine import db, eventlog, leasing
from engine.errors import LeaseLost
from engine.kit.sql import SqlUpdate
from engine.store import runs
from oversight.demo.placet_actions import Refund
from tests.engine import stories
from tests.engine import stories_of_waits as waits
from tests.engine.rows import everything_in
from tests.engine.together import in_line_for, together
from tests.world import Database, Desk

DOORS = {
    "move_run": stories.committed,
    "open_proposal": stories.committed,
    "prepare_effect": stories.committed,
    "intend_effect": stories.committed,
    "record_effect": stories.committed,
    "verify_effect": stories.committed,
    "commit_effect": stories.committed,
    "reconcile_effect": stories.unknown_and_found,
    "lapse_approval": stories.lapsed_since_the_world_changed,
    "raise_alert": stories.rolled_back,
    "retract_proposal": stories.cancelled_right_before_the_gate,
    "begin_wait": waits.waits_for_an_event,
    "carry_over": stories.carried_over_while_it_was_prepared,
    "begin_branches": waits.branched_and_joined,
    "park_for_branches": waits.branched_and_joined,
    "join_branches": waits.branched_and_joined,
    "recall_branches": waits.branches_whose_time_was_up,
}
"""Every door of a worker's, and a story in which a worker comes through it."""


@contextmanager
def each_call_of(door: str, first: Callable[[str, list[Any]], None]) -> Iterator[list[str]]:
    """Before every call that this thread makes through the door, `first` gets hold of it."""
    me, real, seen = threading.get_ident(), db.value, []

    def value(sql: str, params: Sequence[Any] = ()) -> Any:
        if f".{door}(" in sql and threading.get_ident() == me:
            seen.append(sql)
            first(sql, list(params))
        return real(sql, params)

    with patch.object(db, "value", value):
        yield seen


def test_no_door_is_forgotten() -> None:
    """A worker writes through `move_run`, through the doors that kinds of events have, and through
    the two that begin branches and park for them."""
    assert len(DOORS) == len(eventlog._DOORS) + 3


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("token", [-1, +1], ids=["of-before", "of-nobody"])
@pytest.mark.parametrize("door", DOORS)
def test_another_token_changes_nothing(door: str, token: int, desk: Desk) -> None:
    """Each time a worker comes through the door, the same call under another token goes first."""
    real = db.value

    def under_another_token(sql: str, params: list[Any]) -> None:
        before = everything_in(desk.database)
        params[1] += token
        with pytest.raises(LeaseLost):
            real(sql, params)
        assert everything_in(desk.database) == before

    with each_call_of(door, under_another_token) as seen:
        DOORS[door](desk)

    assert seen


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("door", DOORS)
def test_the_right_token_of_a_lapsed_lease_changes_nothing(door: str, desk: Desk) -> None:
    real = db.value

    def after_the_lease(sql: str, params: list[Any]) -> None:
        until = desk.database.value(
            "SELECT lease_until FROM engine_run WHERE run_id = %s", params[0]
        )
        set_lease(desk.database, params[0], datetime.now(UTC) - timedelta(milliseconds=1))
        before = everything_in(desk.database)
        with pytest.raises(LeaseLost):
            real(sql, params)
        assert everything_in(desk.database) == before
        set_lease(desk.database, params[0], until)

    with each_call_of(door, after_the_lease) as seen:
        DOORS[door](desk)

    assert seen


def set_lease(database: Database, run_id: uuid.UUID, until: datetime) -> None:
    database.execute("UPDATE engine_run SET lease_until = %s WHERE run_id = %s", until, run_id)


def claimed(desk: Desk, owner: str = "one:1") -> tuple[uuid.UUID, int]:
    run_id = desk.start_run()
    lease = leasing.claim(run_id, owner)
    assert lease is not None
    return run_id, lease[0].token


class TestAClaim:
    def test_of_a_live_lease_gives_nothing(self, desk: Desk) -> None:
        run_id, _ = claimed(desk)
        before = everything_in(desk.database)

        assert leasing.claim(run_id, "other:2") is None
        assert everything_in(desk.database) == before

    def test_of_a_lapsed_lease_gives_a_higher_token(self, desk: Desk) -> None:
        run_id, token = claimed(desk)
        desk.database.time_passes_for(run_id)

        again = leasing.claim(run_id, "other:2")

        assert again is not None
        assert again[0].token == token + 1

    def test_of_a_run_that_does_not_exist_gives_nothing(self, desk: Desk) -> None:
        assert leasing.claim(uuid.uuid4(), "one:1") is None

    def test_of_a_waiting_run_gives_nothing(self, desk: Desk) -> None:
        proposal = desk.propose_refund()

        assert leasing.claim(proposal.run_id, "one:1") is None

    def test_succeeds_for_one_of_many(self, desk: Desk) -> None:
        run_id = desk.start_run()

        given = together([partial(leasing.claim, run_id, f"w:{n}") for n in range(12)])

        assert sum(one is not None for one in given) == 1
        assert desk.database.kinds(run_id) == ["run_accepted", "run_claimed"]

    def test_reads_the_clock_after_waiting(self, desk: Desk) -> None:
        """When it came the lease had lapsed; while it waited, the holder renewed in time."""
        run_id, _ = claimed(desk)
        desk.database.time_passes_for(run_id)

        def renewed(holder: Any) -> None:
            holder.execute("UPDATE engine_run SET lease_until = now() + interval '1 min'")

        (given,) = in_line_for(
            desk.database, run_id, [partial(leasing.claim, run_id, "other:2")], renewed
        )

        assert given is None

    def test_finds_a_lease_that_lapsed_while_it_waited(self, desk: Desk) -> None:
        run_id, token = claimed(desk)

        def lapses(holder: Any) -> None:
            holder.execute("UPDATE engine_run SET lease_until = clock_timestamp()")

        (given,) = in_line_for(
            desk.database, run_id, [partial(leasing.claim, run_id, "other:2")], lapses
        )

        assert given[0].token == token + 1


class TestRenewing:
    def test_moves_the_end_and_nothing_else(self, desk: Desk) -> None:
        run_id, token = claimed(desk)
        (before,) = everything_in(desk.database)["run"]

        assert runs.renew_lease_if_held(run_id, token, 90.0) is True

        (after,) = everything_in(desk.database)["run"]
        assert after["lease_until"] > before["lease_until"]
        assert {**after, "lease_until": None} == {**before, "lease_until": None}

    def test_never_shortens(self, desk: Desk) -> None:
        run_id, token = claimed(desk)
        before = everything_in(desk.database)

        assert runs.renew_lease_if_held(run_id, token, 0.001) is True
        assert everything_in(desk.database) == before

    def test_never_revives_a_lapsed_lease(self, desk: Desk) -> None:
        run_id, token = claimed(desk)
        desk.database.time_passes_for(run_id)
        before = everything_in(desk.database)

        assert runs.renew_lease_if_held(run_id, token, 90.0) is False
        assert everything_in(desk.database) == before

    @pytest.mark.parametrize("difference", [-1, 1])
    def test_under_another_token_is_refused(self, difference: int, desk: Desk) -> None:
        run_id, token = claimed(desk)

        assert runs.renew_lease_if_held(run_id, token + difference, 90.0) is False

    def test_reads_the_clock_after_waiting(self, desk: Desk) -> None:
        """It came in time, and then waited for the row until the lease had lapsed."""
        run_id, token = claimed(desk)

        def lapses(holder: Any) -> None:
            holder.execute("UPDATE engine_run SET lease_until = clock_timestamp()")

        (renewed,) = in_line_for(
            desk.database, run_id, [partial(runs.renew_lease_if_held, run_id, token, 90.0)], lapses
        )

        assert renewed is False

    def test_stops_for_a_run_that_makes_no_progress(self, desk: Desk) -> None:
        run_id = desk.start_run()
        given = leasing.claim(run_id, "one:1")
        assert given is not None
        given[0].limit = 0.0

        assert given[0].renew() is False


def test_a_call_that_outlives_its_seconds_is_not_renewed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever else its process does: who takes over must be able to tell that no call comes."""
    limits = []

    def stuck(action: SqlUpdate, args: Any, **key_and_token: Any) -> Any:
        (lease,) = leasing._keeper()._leases
        limits.append(lease.limit - time.monotonic())
        raise ConnectionResetError("no answer")

    monkeypatch.setattr(SqlUpdate, "execute", stuck)
    desk.work(desk.approved_refund().run_id)

    assert 0 < limits[0] <= Refund.call_seconds < leasing.NODE_SECONDS


def test_a_door_reads_the_clock_after_waiting(desk: Desk) -> None:
    """The worker came in time, and then waited for the row until its lease had lapsed."""
    run_id, token = claimed(desk)
    resume = partial(
        runs.move_run, run_id, token, 2, "run_resumed", "w", b'{"status":"running"}', None
    )

    def lapses(holder: Any) -> None:
        holder.execute("UPDATE engine_run SET lease_until = clock_timestamp()")

    (said,) = in_line_for(desk.database, run_id, [resume], lapses)

    assert isinstance(said, LeaseLost)
    assert desk.database.kinds(run_id) == ["run_accepted", "run_claimed"]
