"""A worker dies with an event in its hands: the event is neither lost nor taken twice."""

from collections.abc import Callable, Iterator

import pytest

from engine import api
from engine.models import Proposal
from oversight.embedded.processes import beat
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.processes import Broker, Worker, wait_until
from tests.world import Desk


@pytest.fixture
def clock(processes_environment: dict[str, str]) -> Iterator[None]:
    """Sweeps every second."""
    child = beat({**processes_environment, "PLACET_SWEEP_SECONDS": "1"})
    yield
    child.kill()


def delivered() -> str:
    told = api.deliver_event("goods_returned", "A-1", "parcel-1", sender="agent:warehouse")
    return told.outcome


def test_a_worker_killed_between_the_arrival_and_going_on_leaves_it_to_the_next(
    desk: Desk, broker: Broker, worker_process: Callable[..., Worker], clock: None
) -> None:
    run_id = desk.start_run(
        "refund_on_return", order=desk.purchase(), customer="Mara Vogel", amount="25.00"
    )
    desk.work(run_id)
    dying = worker_process(hold="event_taken")
    assert delivered() == "delivered"
    dying.held()
    dying.kill()
    assert desk.run(run_id).current_node == "await_goods"
    assert delivered() == "duplicate_ignored"

    worker_process()
    wait_until("somebody is asked", lambda: Proposal.objects.filter(run_id=run_id).exists())
    wait_until("it waits", lambda: desk.run(run_id).status == "waiting_approval")

    kinds = desk.database.kinds(run_id)
    assert [kinds.count(kind) for kind in ("wait_begun", "event_received", "run_moved")] == [1] * 3
    assert faults_in(desk.database, run_id) == []
    assert_tables_match_the_log(desk.database, run_id)
