"""Runs that wait, and what is delivered to them, as several tests need it."""

import json
import uuid
from datetime import timedelta
from typing import Any

from engine import api
from engine.api import Delivery
from engine.waits import Wait, wait_for
from engine.workflows import Context, Next, Workflow, finish, propose
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk

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
