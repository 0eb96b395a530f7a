"""Runs that branch, as several tests need them."""

import json
import uuid
from datetime import timedelta
from typing import Any

from engine.branches import Branch, Leg, branch, leg
from engine.models import Run
from engine.workflows import Context, Next, Workflow, finish, propose
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk

HOUR = timedelta(hours=1)


def branching(said: Branch, name: str = "outer") -> str:
    """A workflow whose first node branches like this."""
    outer = Workflow(name, start="first")

    def first(ctx: Context) -> Next:
        return said

    def joined(ctx: Context) -> Next:
        return finish(seen=ctx.branches)

    def late(ctx: Context) -> Next:
        return finish(seen=ctx.branches, late=True)

    outer.node(to=["joined", "late"])(first)
    outer.node(ends=True)(joined)
    outer.node(ends=True)(late)
    outer.check()
    return name


def paying(name: str = "pays") -> str:
    """A workflow that pays back, once, what its state says."""
    pays = Workflow(name, start="pay")

    def pay(ctx: Context) -> Next:
        given = {"customer": "Mara Vogel", "amount": "25.00", **ctx.state}
        return propose("ledger.refund", given, why="Broken.", then="paid", otherwise="kept")

    def paid(ctx: Context) -> Next:
        return finish(paid=True)

    def kept(ctx: Context) -> Next:
        return finish(paid=False)

    pays.node(to=["paid", "kept"])(pay)
    pays.node(ends=True)(paid)
    pays.node(ends=True)(kept)
    pays.check()
    return name


class Branches:
    """A run that has branched, and its branches by name."""

    def __init__(self, desk: Desk, run_id: uuid.UUID) -> None:
        self.desk, self.run_id = desk, run_id
        children = Run.objects.filter(parent_id=run_id)
        self.legs = {child.branch or "": child.run_id for child in children}

    @property
    def every(self) -> tuple[uuid.UUID, ...]:
        return (self.run_id, *self.legs.values())

    def work(self) -> None:
        """A worker comes by at every branch, then at the run."""
        for leg_id in self.legs.values():
            self.desk.work(leg_id)
        self.desk.work(self.run_id)

    def approve(self, name: str) -> None:
        self.desk.approve(self.desk.proposal(self.legs[name]))
        self.desk.work(self.legs[name])

    def reject(self, name: str) -> None:
        self.desk.decide(self.desk.proposal(self.legs[name]), "reject")
        self.desk.work(self.legs[name])

    def statuses(self) -> dict[str, str]:
        return {name: self.desk.run(leg_id).status for name, leg_id in self.legs.items()}

    def status(self) -> str:
        return self.desk.run(self.run_id).status

    def ended_with(self) -> Any:
        """What the last node had set."""
        return json.loads(self.desk.database.log(self.run_id)[-1]["payload"])["set"]

    def assert_sound(self) -> None:
        for run_id in self.every:
            assert faults_in(self.desk.database, run_id) == []
            assert_tables_match_the_log(self.desk.database, run_id)


def started(desk: Desk, said: Branch) -> uuid.UUID:
    """A run that is to branch like this; no worker has seen it."""
    return desk.start_run(branching(said))


def branched(desk: Desk, legs: dict[str, Leg], **more: Any) -> Branches:
    """A run that waits for these branches; no worker has seen those."""
    run_id = started(desk, branch(legs, then="joined", **{"expires": HOUR, **more}))
    desk.work(run_id)
    return Branches(desk, run_id)


def two_refunds(desk: Desk, **more: Any) -> Branches:
    """A run whose two branches, `lamp` and `vase`, each wait for a decision."""
    pays = paying()
    names = ("lamp", "vase")
    found = branched(desk, {name: leg(pays, {"order": desk.purchase()}) for name in names}, **more)
    for leg_id in found.legs.values():
        desk.work(leg_id)
    return found
