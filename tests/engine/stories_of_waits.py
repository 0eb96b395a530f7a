"""What may befall a run that waits, for the outside or for its branches."""

import uuid
from datetime import timedelta

from engine import api
from engine.branches import branch as branching
from engine.branches import leg
from engine.models import Run
from engine.waits import Wait, sleep_for, wait_for
from engine.workflows import Context, Next, Workflow, finish
from tests.cast import reviewer
from tests.world import Desk


def returned(order: str = "A-1") -> None:
    payload = {"b": [1, 2.50, None], "ä": "\u2028 “x”"}
    api.deliver_event("goods_returned", order, order, payload, sender="agent:warehouse")


def waits_for_an_event(desk: Desk) -> uuid.UUID:
    order = desk.purchase()
    run_id = desk.start_run("refund_on_return", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    return run_id


def an_event_that_was_waited_for(desk: Desk) -> uuid.UUID:
    run_id = waits_for_an_event(desk)
    returned()
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    desk.work(run_id)
    assert desk.run(run_id).status == "completed"
    return run_id


def an_event_that_came_early(desk: Desk) -> uuid.UUID:
    returned()
    run_id = waits_for_an_event(desk)
    assert desk.run(run_id).status == "waiting_approval"
    return run_id


def waiting(desk: Desk, wait: Wait) -> uuid.UUID:
    """A run that a worker has brought to this wait, after which it ends."""
    made = Workflow("waiting", start="first")

    def first(ctx: Context) -> Next:
        return wait

    def last(ctx: Context) -> Next:
        return finish()

    made.node(to=["last"])(first)
    made.node(ends=True)(last)
    run_id = desk.start_run("waiting")
    desk.work(run_id)
    return run_id


def an_event_that_came_too_late(desk: Desk) -> uuid.UUID:
    """Its time was over as soon as it had begun."""
    at_once = timedelta(microseconds=1)
    run_id = waiting(desk, wait_for("goods_returned", key="A-1", then="last", expires=at_once))
    returned()
    desk.work(run_id)
    assert "wait_elapsed" in desk.database.kinds(run_id)
    assert desk.run(run_id).reason_code == "expired"
    return run_id


def recalled(desk: Desk) -> uuid.UUID:
    """A recalled article: two customers to be paid back, each by a branch of its own."""
    claims = [
        {"order": desk.purchase(), "customer": "Mara Vogel", "amount": "25.00"} for _ in range(2)
    ]
    run_id = desk.start_run("recall", claims=claims)
    desk.work(run_id)
    for branch in Run.objects.filter(parent_id=run_id):
        desk.work(branch.run_id)
    return run_id


def branched_and_joined(desk: Desk) -> uuid.UUID:
    run_id = recalled(desk)
    for branch in Run.objects.filter(parent_id=run_id):
        desk.approve(desk.proposal(branch.run_id))
        desk.work(branch.run_id)
    desk.work(run_id)
    assert desk.run(run_id).status == "completed"
    return run_id


def a_branch(desk: Desk) -> uuid.UUID:
    run_id = branched_and_joined(desk)
    return Run.objects.filter(parent_id=run_id).latest("created_at").run_id


def branches_whose_time_was_up(desk: Desk) -> uuid.UUID:
    run_id = branching_for_a_moment(desk)
    desk.work(run_id)
    for branch in Run.objects.filter(parent_id=run_id):
        desk.work(branch.run_id)
    desk.work(run_id)
    assert "branches_recalled" in desk.database.kinds(run_id)
    assert desk.run(run_id).reason_code == "expired"
    return run_id


def branching_for_a_moment(desk: Desk) -> uuid.UUID:
    order, made = desk.purchase(), Workflow("waiting", start="first")
    claim = {"order": order, "customer": "Mara Vogel", "amount": "25.00"}

    def first(ctx: Context) -> Next:
        at_once = timedelta(microseconds=1)
        return branching({"only": leg("refund", claim)}, then="last", expires=at_once)

    def last(ctx: Context) -> Next:
        return finish()

    made.node(to=["last"])(first)
    made.node(ends=True)(last)
    run_id = desk.start_run("waiting")
    desk.work(run_id)
    return run_id


def cancelled_while_it_branched(desk: Desk) -> uuid.UUID:
    run_id = recalled(desk)
    api.cancel_run(run_id, operator=reviewer(desk.people.otto), reason="Not wanted any more.")
    for branch in Run.objects.filter(parent_id=run_id):
        desk.work(branch.run_id)
    desk.work(run_id)
    assert desk.run(run_id).status == "cancelled"
    return run_id


def slept(desk: Desk) -> uuid.UUID:
    run_id = waiting(desk, sleep_for(timedelta(), then="last"))
    desk.work(run_id)
    assert desk.run(run_id).status == "completed"
    return run_id


def cancelled_while_it_waited(desk: Desk) -> uuid.UUID:
    run_id = waits_for_an_event(desk)
    api.cancel_run(run_id, operator=reviewer(desk.people.otto), reason="Not wanted any more.")
    desk.work(run_id)
    return run_id


def the_log_of_events_from_outside(desk: Desk) -> uuid.UUID:
    returned()
    run_id = desk.database.value("SELECT run_id FROM engine_run WHERE workflow = 'system.inbound'")
    assert desk.database.kinds(run_id) == ["stream_begun", "event_kept"]
    return run_id
