"""New code comes while runs are alive: beside the old, or after everything was stopped."""

import urllib.request
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from engine import api
from engine.models import Proposal, Run
from engine.store import doors
from oversight.embedded.processes import beat
from tests.cast import reviewer
from tests.engine.chain import faults_in
from tests.engine.rows import changed, everything_about
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.processes import Broker, Web, Worker, wait_until
from tests.faults.trees import (
    managed,
    with_another_column,
    with_another_workflow,
    with_other_doors,
)
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("broker")

QUICK = {"PLACET_SWEEP_SECONDS": "1"}


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Whatever a test starts is ended with it."""
    with ExitStack() as stack:
        yield stack


def refund(desk: Desk, order: str) -> uuid.UUID:
    """A run whose refund has been approved; a message about it is on its way."""
    run_id = asked(desk, order)
    desk.approve(desk.proposal(run_id))
    return run_id


def assert_done_once(desk: Desk, run_id: uuid.UUID, order: str) -> None:
    assert desk.run(run_id).status == "completed"
    assert desk.ledger.movements(order) == 1
    assert faults_in(desk.database, run_id) == []


class TestSideBySide:
    def test_old_and_new_code_take_over_from_each_other_and_neither_overwrites_the_other(
        self,
        desk: Desk,
        processes_environment: dict[str, str],
        tmp_path: Path,
        stack: ExitStack,
    ) -> None:
        env, orders = {**processes_environment, **QUICK}, [desk.purchase() for _ in range(4)]
        old_tree, new_tree = (
            stack.enter_context(with_other_doors(name)) for name in ("older", "newer")
        )
        with_another_column(new_tree)
        managed(old_tree, env, "migrate")

        held: dict[str, Any] = {"hold": "prepared", "can_be_let_go": True}
        old = started(stack, Worker(env, tmp_path, tree=old_tree, **held))
        first = refund(desk, orders[0])
        old.held()
        old.freeze()

        # While it stands in the middle of an effect, tables and doors become other ones.
        managed(new_tree, env, "migrate")
        of_old, of_new = names_of_doors()
        stack.callback(beat(env, tree=new_tree).kill)
        new = started(stack, Worker(env, tmp_path, tree=new_tree, PLACET_HOLD_NTH="2", **held))
        wait_until("the new takes over from the old", lambda: desk.run(first).ended_at)
        second = refund(desk, orders[1])
        new.held()
        new.freeze()
        assert wakes_in_vain(old, desk, first)

        wait_until("the old takes over from the new", lambda: desk.run(second).ended_at)
        assert wakes_in_vain(new, desk, second)

        later = [refund(desk, order) for order in orders[2:]]
        wait_until("both go on", lambda: all(desk.run(one).ended_at for one in later))
        for run_id, order in zip([first, second, *later], orders, strict=True):
            assert_done_once(desk, run_id, order)

        # What is in use stays, and what is not goes.
        assert looked_at() == {of_old: "in use", of_new: "in use", doors.schema(): "own"}
        old.kill()
        wait_until("its sessions have ended", lambda: looked_at().get(of_old) == "dropped")
        assert looked_at() == {of_new: "in use", doors.schema(): "own"}
        alone = refund(desk, order := desk.purchase())
        wait_until("the new goes on alone", lambda: desk.run(alone).ended_at)
        assert_done_once(desk, alone, order)
        new.kill()
        for table in ("engine_run", "engine_effect"):
            desk.database.execute(f"ALTER TABLE {table} DROP COLUMN of_newer_code")
        for run_id in [first, second, *later, alone]:
            assert_tables_match_the_log(desk.database, run_id)


def started(stack: ExitStack, worker: Worker) -> Worker:
    stack.callback(worker.kill)
    return worker


def names_of_doors() -> list[str]:
    """Of the other code's doors, in the order in which they were installed."""
    others = [name for name in doors.installed() if name != doors.schema()]
    return sorted(others, key=doors.seen)


def looked_at() -> dict[str, str]:
    """What one look of the command makes of each schema."""
    said = StringIO()
    call_command("drop_unused_doors", "--unused-for", "0", stdout=said)
    return dict(line.split(": ") for line in said.getvalue().splitlines())


def wakes_in_vain(worker: Worker, desk: Desk, run_id: uuid.UUID) -> bool:
    """It goes on where it stood, is told that its lease is lost, and has changed nothing."""
    before = everything_about(desk.database, run_id)
    worker.thaw()
    worker.let_go()
    worker.child.wait_for(f"run {run_id}: lease lost", 30)
    return changed(before, everything_about(desk.database, run_id)) == []


class TestAfterEverythingWasStopped:
    def test_newer_code_goes_on_with_every_run_and_can_take_back_what_the_older_did(
        self,
        desk: Desk,
        broker: Broker,
        processes_environment: dict[str, str],
        tmp_path: Path,
        stack: ExitStack,
    ) -> None:
        env, orders = {**processes_environment, **QUICK}, [desk.purchase() for _ in range(4)]
        tree = stack.enter_context(with_other_doors("newer"))
        with_another_workflow(tree)
        done = refund(desk, orders[0])
        desk.work(done)
        worker = started(stack, Worker(env, tmp_path, hold="executed"))
        web, clock = Web(env), beat(env)
        stack.callback(web.kill)
        stack.callback(clock.kill)

        in_the_middle = refund(desk, orders[1])
        worker.held()
        approved, undecided = refund(desk, orders[2]), asked(desk, orders[3])
        for process in (worker, web, clock):
            process.kill()
        broker.flush()

        managed(tree, env, "migrate")
        started(stack, Worker(env, tmp_path, tree=tree))
        stack.callback(beat(env, tree=tree).kill)
        web = Web(env, tree=tree)
        stack.callback(web.kill)
        waiting = {approved: ["lapsed", "open"], undecided: ["superseded", "open"]}
        for run_id in waiting:
            wait_until(
                "it is asked anew", lambda one=run_id: versions_of(desk, one) == waiting[one]
            )
            desk.approve(desk.proposal(run_id))
        for run_id, order in ((in_the_middle, orders[1]), *zip(waiting, orders[2:], strict=True)):
            wait_until("the run has ended", lambda one=run_id: desk.run(one).ended_at)
            assert_done_once(desk, run_id, order)
            assert desk.run(run_id).workflow_version == 2
            assert_tables_match_the_log(desk.database, run_id)
        kinds = desk.database.kinds(in_the_middle)
        assert kinds.index("effect_committed") < kinds.index("versions_carried_over")
        assert kinds.count("effect_intended") == 1

        otto = reviewer(desk.people.otto)
        for run_id, order in ((done, orders[0]), (approved, orders[2])):
            by = api.roll_back(run_id, operator=otto, reason="It was sound.")
            wait_until("it is rolled back", lambda one=by: desk.run(one).status == "rolled_back")
            assert (desk.ledger.refunded(order), desk.ledger.movements(order)) == ("0.00", 2)
        assert '"intact": true' in managed(tree, env, "verify_log", "--json")
        with urllib.request.urlopen(f"{web.url}/sign-in/", timeout=20) as page:  # noqa: S310
            assert page.status == 200


def asked(desk: Desk, order: str) -> uuid.UUID:
    """A run whose refund waits for somebody to decide it."""
    run_id = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)  # unless one of the processes was quicker
    wait_until("somebody is asked", lambda: desk.run(run_id).status == "waiting_approval")
    return run_id


def versions_of(desk: Desk, run_id: uuid.UUID) -> list[str]:
    found = Proposal.objects.filter(run_id=run_id).order_by("version")
    return list(found.values_list("status", flat=True))


@pytest.mark.slow
def test_a_roll_out_under_load_loses_nothing_and_does_nothing_twice(
    desk: Desk, processes_environment: dict[str, str], tmp_path: Path, stack: ExitStack
) -> None:
    """Old workers are killed one after the other while new ones come; the runs go on coming."""
    env = {**processes_environment, **QUICK}
    old_tree, new_tree = (
        stack.enter_context(with_other_doors(name)) for name in ("older", "newer")
    )
    with_another_column(new_tree)
    with_another_workflow(new_tree)
    managed(old_tree, env, "migrate")
    stack.callback(beat(env, tree=old_tree).kill)
    old = [started(stack, Worker(env, tmp_path, tree=old_tree)) for _ in range(2)]
    filed: dict[uuid.UUID, str] = {}

    def file(number: int) -> None:
        for order in [desk.purchase() for _ in range(number)]:
            filed[refund(desk, order)] = order

    file(20)
    managed(new_tree, env, "migrate")
    file(20)
    for worker in old:
        started(stack, Worker(env, tmp_path, tree=new_tree)).ready()
        file(20)
        worker.kill()

    wait_until("all have ended", lambda: all_decided(desk, filed), seconds=240)
    for run_id, order in filed.items():
        assert_done_once(desk, run_id, order)
    assert '"intact": true' in managed(new_tree, env, "verify_log", "--json")
    assert {desk.run(run_id).workflow_version for run_id in filed} == {1, 2}


def all_decided(desk: Desk, filed: Iterable[uuid.UUID]) -> bool:
    """Whoever is asked anew decides anew; then there is nothing left to do."""
    for proposal in Proposal.objects.filter(run_id__in=list(filed), status="open"):
        desk.approve(proposal)
    return not Run.objects.filter(pk__in=list(filed), ended_at=None).exists()
