"""What is said while a real worker stands between Prepare and Intend counts."""

from collections.abc import Callable

import pytest

from engine import api
from engine.models import Effect, Proposal
from tests.cast import AGENT, reviewer
from tests.faults.processes import Worker, wait_until
from tests.world import Desk


def everything_is_stopped(desk: Desk, proposal: Proposal) -> None:
    api.stop_everything(reviewer(desk.people.otto), "Something is odd.")


def the_agent_withdraws_it(desk: Desk, proposal: Proposal) -> None:
    api.withdraw_proposal(proposal.run_id, proposal.proposal_id, agent=AGENT)


def the_approver_is_deactivated(desk: Desk, proposal: Proposal) -> None:
    desk.people.rosa.is_active = False
    desk.people.rosa.save()


def the_arguments_are_changed(desk: Desk, proposal: Proposal) -> None:
    desk.database.execute(
        "UPDATE engine_effect SET arguments ="
        " convert_to(replace(convert_from(arguments, 'UTF8'), '25.00', '75.00'), 'UTF8')"
    )


HAPPENINGS = {
    everything_is_stopped: ("paused", "lapsed"),
    the_agent_withdraws_it: ("waiting_external", "withdrawn"),
    the_approver_is_deactivated: ("waiting_approval", "lapsed"),
    the_arguments_are_changed: ("paused", "lapsed"),
}


@pytest.mark.parametrize("happens", HAPPENINGS, ids=lambda happens: happens.__name__)
def test_nothing_fires(
    happens: Callable[[Desk, Proposal], None],
    desk: Desk,
    broker: object,
    worker_process: Callable[..., Worker],
) -> None:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    worker = worker_process(hold="prepared", can_be_let_go=True)
    desk.people.otto.save()
    desk.approve(proposal)
    worker.held()
    assert Effect.objects.get().status == "prepared"

    happens(desk, proposal)
    worker.let_go()

    run_status, proposal_status = HAPPENINGS[happens]
    wait_until("the run stands still", lambda: desk.run(proposal.run_id).status == run_status)
    proposal.refresh_from_db()
    assert proposal.status == proposal_status
    assert desk.ledger.movements(order) == 0
    assert desk.ledger.honoured() == []
    assert (Effect.objects.get().status, Effect.objects.get().outcome) == ("failed", "not_sent")
    assert "effect_intended" not in desk.database.kinds(proposal.run_id)


def test_nothing_said_it_fires(
    desk: Desk, broker: object, worker_process: Callable[..., Worker]
) -> None:
    order = desk.purchase()
    proposal = desk.propose_refund(order)
    worker = worker_process(hold="prepared", can_be_let_go=True)
    desk.approve(proposal)
    worker.held()

    worker.let_go()

    wait_until("it is committed", lambda: Effect.objects.get().committed_at)
    assert desk.ledger.movements(order) == 1
