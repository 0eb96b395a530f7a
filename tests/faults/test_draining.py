"""A worker that is asked to end, as a roll-out does: what it is at it finishes, the rest it leaves.

Leases are long here: nobody who takes over has waited for one.
"""

from collections.abc import Callable

from engine.models import Effect
from tests.faults.processes import PATIENCE, Broker, Worker, wait_until
from tests.world import Desk

LONG = "600"


def test_what_was_sent_is_settled_and_the_rest_left_to_another_worker_at_once(
    desk: Desk, broker: Broker, worker_process: Callable[..., Worker]
) -> None:
    sent, waiting = (desk.propose_refund(desk.purchase()) for _ in range(2))
    leaving = worker_process(hold="executed", can_be_let_go=True, PLACET_LEASE_SECONDS=LONG)
    desk.approve(sent)
    leaving.held()
    desk.approve(waiting)

    leaving.child.ask_to_end()
    leaving.child.wait_for("Warm shutdown", PATIENCE)
    leaving.let_go()

    assert leaving.child.wait(PATIENCE) == 0
    assert Effect.objects.get().committed_at
    assert desk.run(sent.run_id).status == "running"
    worker_process(PLACET_LEASE_SECONDS=LONG)
    wait_until("another has gone on", lambda: desk.run(sent.run_id).status == "waiting_external")
    wait_until("both are done", lambda: Effect.objects.exclude(committed_at=None).count() == 2)
    assert len(desk.ledger.honoured()) == 2
