"""A run saved by older code goes on under newer code, if somebody has said how; else it waits."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from engine import checkpointing, conf
from engine.checkpointing import Migration, Saved
from engine.models import Alert
from tests.world import Desk


@contextmanager
def newer_code(schema_version: int) -> Iterator[None]:
    """The same code, which saves checkpoints under a later schema version."""
    newer = patch.object(checkpointing, "SCHEMA_VERSION", schema_version)
    with newer, patch.dict(checkpointing._migrations):
        yield


def test_c57_what_nothing_migrates_pauses_the_run(desk: Desk) -> None:
    run_id = desk.approved_refund(order := desk.purchase()).run_id

    with newer_code(3):
        nobody_can_read_it(desk, run_id)

    assert desk.ledger.movements(order) == 0


def nobody_can_read_it(desk: Desk, run_id: uuid.UUID) -> None:
    """It is left to the next worker, which may be of another version; then a person is asked."""
    for _ in range(conf.max_failures()):
        assert desk.run(run_id).status != "paused"
        desk.work_on_after_waiting(run_id)
        assert desk.work(run_id).outcome == "nothing to do", "it is left alone for a while"
    run = desk.run(run_id)
    assert (run.status, run.reason_code) == ("paused", "incompatible_version")
    assert Alert.objects.filter(run_id=run_id, kind="incompatible_version").exists()


def test_what_only_newer_code_can_have_saved_is_not_taken_for_damage(desk: Desk) -> None:
    """A field more, although nobody has counted its schema up."""
    run_id = desk.approved_refund(order := desk.purchase()).run_id
    known = tuple(name for name in checkpointing.IN_SNAPSHOT if name != "stands_on")
    with patch.object(checkpointing, "IN_SNAPSHOT", known):
        nobody_can_read_it(desk, run_id)

    assert desk.ledger.movements(order) == 0
    assert not Alert.objects.exclude(kind="incompatible_version").exists()


def test_what_one_worker_cannot_read_is_gone_on_with_by_one_that_can(desk: Desk) -> None:
    run_id = desk.approved_refund(order := desk.purchase()).run_id
    with newer_code(3):
        for _ in range(conf.max_failures() - 1):
            desk.work_on_after_waiting(run_id)
    desk.work_on_after_waiting(run_id)

    assert desk.ledger.movements(order) == 1
    assert not Alert.objects.exists()


def test_migrations_are_gone_through_step_by_step(desk: Desk) -> None:
    order = desk.purchase()
    run_id = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))

    with newer_code(3):
        for version in (1, 2):
            checkpointing.migrates(version)(noted(version))
        desk.work(run_id)

    newest = desk.database.rows(
        "SELECT state_snapshot, schema_version FROM engine_checkpoint"
        " ORDER BY last_event_sequence DESC LIMIT 1"
    )[0]
    assert '"went_through":[1,2]' in newest["state_snapshot"]
    assert newest["schema_version"] == 3
    assert desk.ledger.refunded(order) == "25.00"


def noted(version: int) -> Migration:
    """A migration that leaves its trace in the run's state."""

    def migration(saved: Saved) -> Saved:
        saved["state_snapshot"]["state"].setdefault("went_through", []).append(version)
        return saved

    return migration


def test_what_newer_code_has_saved_is_not_guessed_at(desk: Desk) -> None:
    run_id = desk.start_run()
    desk.ask_for_refund(run_id, order := desk.purchase())
    with newer_code(2):
        checkpointing.migrates(1)(lambda saved: saved)
        desk.work(run_id)
    desk.approve(desk.proposal(run_id))

    nobody_can_read_it(desk, run_id)

    assert desk.ledger.movements(order) == 0
