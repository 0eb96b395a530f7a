"""What happens between two commits of a real worker: somebody speaks, or the worker dies."""

from collections.abc import Callable, Iterator

import pytest

from engine import api
from engine.models import Alert, Effect
from oversight.embedded.processes import beat
from tests.cast import all_go_on, reviewer
from tests.faults.processes import Broker, Worker, wait_until
from tests.world import Desk


@pytest.fixture
def clock(processes_environment: dict[str, str]) -> Iterator[None]:
    """A sweep every second, so that somebody takes over."""
    child = beat({**processes_environment, "PLACET_SWEEP_SECONDS": "1"})
    yield
    child.kill()


def test_a_decision_that_lands_while_a_worker_holds_the_lease_is_not_lost(
    desk: Desk, broker: Broker, worker_process: Callable[..., Worker]
) -> None:
    """The worker is about to park and wait for it; nobody else will tell of it, and no sweep."""
    order = desk.purchase()
    worker = worker_process(
        hold="statement", can_be_let_go=True, PLACET_HOLD_STATEMENT="run_parked"
    )
    run_id = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    worker.held()
    query = "SELECT lease_until > clock_timestamp() FROM engine_run WHERE run_id = %s"
    assert desk.database.value(query, run_id)

    desk.approve(desk.proposal(run_id))
    broker.flush()
    worker.let_go()

    wait_until("the run is completed", lambda: desk.run(run_id).status == "completed")
    kinds = desk.database.kinds(run_id)
    assert (kinds.count("run_claimed"), kinds.count("run_parked")) == (1, 0)
    assert desk.ledger.movements(order) == 1


@pytest.mark.usefixtures("clock")
def test_what_a_stop_finds_lapses_by_itself_and_is_asked_anew_when_it_goes_on(
    desk: Desk, worker_process: Callable[..., Worker]
) -> None:
    """Nobody but beat's sweeps and a worker comes by."""
    proposal, otto = desk.propose_refund(), reviewer(desk.people.otto)
    api.stop_everything(otto, "Something is odd.")
    worker_process()

    def standing() -> tuple[str, str | None, str]:
        run = desk.run(proposal.run_id)
        return run.status, run.reason_code, desk.proposal(run.pk).status

    wait_until("it has lapsed", lambda: standing() == ("paused", "stop", "lapsed"))
    all_go_on(desk.people)
    wait_until("it is asked anew", lambda: standing() == ("waiting_approval", None, "open"))
    assert desk.proposal(proposal.run_id).version == 2


@pytest.mark.usefixtures("clock")
def test_what_was_recorded_before_the_crash_is_committed_only_after_reading_it_again(
    desk: Desk, broker: Broker, worker_process: Callable[..., Worker]
) -> None:
    """The target had said yes; when the successor reads it, it shows something else."""
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    worker = worker_process(hold="recorded")
    desk.approve(proposal)
    worker.held()
    worker.kill()
    effect = Effect.objects.get()
    assert (effect.status, effect.verification, effect.committed_at) == ("succeeded", None, None)
    desk.ledger.execute("UPDATE purchase SET refunded = 20.00 WHERE order_no = %s", order)

    worker_process()

    wait_until("the run stands still", lambda: desk.run(proposal.run_id).status == "paused")
    effect.refresh_from_db()
    assert (effect.verification, effect.committed_at) == ("mismatch", None)
    assert effect.attempt == 1
    assert Alert.objects.filter(effect_id=effect.pk, kind="verification_failed").exists()
