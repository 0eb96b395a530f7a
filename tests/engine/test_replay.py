"""The tables are projections of the log: folding the log gives every column of every row."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine import folding, sweeper
from tests.engine import replay, stories
from tests.engine import stories_of_waits as waits
from tests.world import Database, Desk

Story = Callable[[Desk], uuid.UUID]


STORIES: list[Story] = [
    stories.committed,
    stories.two_in_a_row,
    stories.rejected,
    stories.asked_again_despite_a_rejection,
    stories.returned_answered_and_approved,
    stories.edited_and_approved_by_another,
    stories.looked_at_before_it_was_decided,
    stories.decided_by_who_may_not,
    stories.claimed_taken_over_and_let_go,
    stories.lapsed_since_the_world_changed,
    stories.refused_by_the_target,
    stories.unknown_and_found,
    stories.rolled_back,
    stories.rolled_back_by_an_operator,
    stories.rolled_back_after_its_end,
    stories.the_run_that_rolls_another_back,
    stories.taken_back_by_hand,
    stories.stopped_and_let_go_on,
    stories.lapsed_by_the_sweep_under_a_stop,
    stories.paused_and_resumed,
    stories.closed_without_any_effect,
    stories.withdrawn_while_open,
    stories.withdrawn_right_before_the_gate,
    stories.carried_over_while_it_was_prepared,
    stories.cancelled_right_before_the_gate,
    stories.paused_and_forked,
    stories.ruled_that_it_happened,
    stories.ruled_that_it_did_not_happen,
    stories.ruled_that_it_happened_partly,
    stories.asked_again,
    stories.an_alert_taken_on_and_dealt_with,
    stories.an_alert_that_was_taken_on_and_is_open_again,
    stories.the_log_of_stops,
    waits.waits_for_an_event,
    waits.an_event_that_was_waited_for,
    waits.an_event_that_came_early,
    waits.an_event_that_came_too_late,
    waits.slept,
    waits.cancelled_while_it_waited,
    waits.branched_and_joined,
    waits.a_branch,
    waits.branches_whose_time_was_up,
    waits.cancelled_while_it_branched,
    waits.the_log_of_events_from_outside,
]


@pytest.mark.usefixtures("registries")
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_the_log_tells_every_column(story: Story, desk: Desk) -> None:
    run_id = story(desk)

    assert_tables_match_the_log(desk.database, run_id)


def assert_tables_match_the_log(database: Database, run_id: uuid.UUID) -> None:
    """Every row of the run's tables is what its log says, in every column."""
    assert differing_from_the_log(database, run_id) == []


def differing_from_the_log(database: Database, run_id: uuid.UUID) -> list[str]:
    """Each row of the run's tables that is not what its log says."""
    told = replay.replayed(database.log(run_id))
    return [
        f"{table} {key}: {found}"
        for table in vars(told)
        for key, found in differing(stored(database, table, run_id), getattr(told, table))
    ]


Rows = dict[str, dict[str, Any]]


def differing(rows: Rows, told: Rows) -> Iterator[tuple[str, object]]:
    """By primary key: column → (what is stored, what the log tells), where they differ."""
    for key in rows.keys() | told.keys():
        row, facts = rows.get(key, {}), told.get(key, {})
        names = [name for name in row | facts if row.get(name, ...) != facts.get(name, ...)]
        if names:
            yield key, {name: (row.get(name, "-"), facts.get(name, "-")) for name in names}


def stored(database: Database, table: str, run_id: uuid.UUID) -> Rows:
    """The run's rows by primary key, as plain values."""
    of_the_run = {
        "engine_decision": "proposal_id IN (SELECT id FROM engine_proposal WHERE run_id = %s)",
        "engine_claim": "proposal_id IN (SELECT id FROM engine_proposal WHERE run_id = %s)",
        "engine_inboundevent": "id IN (SELECT inbound_id FROM engine_taking WHERE run_id = %s)",
    }
    where = of_the_run.get(table, "run_id = %s")
    left_out = replay.NOT_IN_THE_LOG.get(table, set())
    rows = database.rows(f"SELECT * FROM {table} WHERE {where}", run_id)  # noqa: S608
    plain_rows = [{k: plain(v) for k, v in row.items() if k not in left_out} for row in rows]
    return {row.get(KEYS.get(table, ""), next(iter(row.values()))): row for row in plain_rows}


KEYS = {"engine_taking": "inbound_id"}
"""Where the first column is not the primary key, or the part of it that differs within a run."""


def plain(value: object) -> object:
    return str(value) if isinstance(value, uuid.UUID) else value


def test_every_kind_that_the_engine_folds_is_told() -> None:
    """A kind that no replay knows would be a fact that nobody else can fold."""
    assert set(folding._FOLDS) <= set(replay.HANDLERS)


def test_an_expired_proposal_is_told(desk: Desk) -> None:
    """Its time is only moved back in the table; the log still knows what was shown."""
    proposal = desk.propose_refund()
    before = proposal.valid_until
    desk.database.deadline_passes_for(proposal.pk)
    sweeper.run_once()
    desk.work(proposal.run_id)
    desk.database.execute("UPDATE engine_proposal SET valid_until = %s", before)

    assert_tables_match_the_log(desk.database, proposal.run_id)


def test_a_row_that_was_changed_by_hand_is_found(desk: Desk) -> None:
    run_id = stories.committed(desk)
    desk.database.execute("UPDATE engine_effect SET outcome = 'as if' WHERE run_id = %s", run_id)

    with pytest.raises(AssertionError, match="engine_effect"):
        assert_tables_match_the_log(desk.database, run_id)
