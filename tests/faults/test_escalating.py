"""Nobody decides, and the processes that would call others are killed in between."""

from collections.abc import Callable

from engine.models import Proposal
from oversight.embedded.processes import beat
from tests.engine.chain import faults_in
from tests.engine.hastened import forget_hastened_times
from tests.engine.test_escalating import slow
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.processes import Worker, wait_until
from tests.pages.reading import Reader
from tests.world import Desk


def rests(desk: Desk, proposal: Proposal) -> bool:
    """A worker has taken up that it is over, and has let go of the run."""
    run = desk.run(proposal.run_id)
    return (run.status, run.lease_until) == ("waiting_external", None)


def test_c33_it_is_escalated_once_across_a_restart_and_carried_out_on_a_lead_s_word(
    desk: Desk,
    processes_environment: dict[str, str],
    worker_process: Callable[..., Worker],
) -> None:
    lena, rosa = desk.people.somebody("lena", "lead"), desk.people.rosa
    assert rosa
    desk.put_in_force(slow())
    order = desk.purchase()
    asked, forgotten = desk.propose_refund(order), desk.propose_refund()
    env = {**processes_environment, "PLACET_SWEEP_SECONDS": "1"}

    def kinds() -> list[str]:
        return desk.database.kinds(asked.run_id) + desk.database.kinds(forgotten.run_id)

    clock, worker = beat(env), worker_process()
    try:
        for each in (asked, forgotten):
            desk.database.days_pass_for(each.pk, 1)
        wait_until("people are reminded", lambda: kinds().count("proposal_reminded") == 2)
        clock.kill()
        worker.kill()
        for each in (asked, forgotten):
            desk.database.days_pass_for(each.pk, 1)
        clock, worker = beat(env), worker_process()
        wait_until("others are asked", lambda: kinds().count("proposal_escalated") == 2)

        answer = Reader(lena).decide(asked, "approve")
        assert answer.status == 302
        wait_until("it is done", lambda: desk.ledger.refunded(order) == "25.00")
        desk.database.days_pass_for(forgotten.pk, 5)
        wait_until("it expired", lambda: "proposal_expired" in kinds())
        wait_until("its agent can ask", lambda: rests(desk, forgotten))
    finally:
        clock.kill()
    counted = [kinds().count(f"proposal_{what}") for what in ("reminded", "escalated", "expired")]
    assert counted == [2, 2, 1]
    assert desk.ledger.balance() == "4975.00"
    for each in (asked, forgotten):
        assert faults_in(desk.database, each.run_id) == []
    forget_hastened_times(desk.database, forgotten.run_id)
    assert_tables_match_the_log(desk.database, forgotten.run_id)
