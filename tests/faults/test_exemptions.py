"""A crash around the statement that opens a proposal costs an exemption no use, and gives none."""

from collections.abc import Callable

import pytest

from engine import approval
from engine.models import Exemption, Proposal
from tests.engine.chain import faults_in
from tests.engine.exempting import NEVER_DRAWN, asked, given
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.outages import AFTER, BEFORE, KINDS, Died, Outage
from tests.faults.processes import Worker
from tests.world import Desk


@pytest.fixture(autouse=True)
def no_lot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approval, "lot", lambda: NEVER_DRAWN)


def place_of_the_opening(desk: Desk) -> int:
    """As which of its statements a worker opens the proposal."""
    run_id = asked(desk)
    with Outage() as listening:
        desk.work(run_id)
    (place,) = [n for n, sql in enumerate(listening.sent, 1) if "open_proposal" in sql]
    return place


@pytest.mark.parametrize("when", [BEFORE, AFTER])
@pytest.mark.parametrize("kind", KINDS)
def test_an_outage_at_the_statement_that_opens(kind: str, when: str, desk: Desk) -> None:
    given(desk, uses=2)
    place = place_of_the_opening(desk)
    run_id = desk.start_run()
    desk.ask_for_refund(run_id, order := desk.purchase())

    with Outage(place, when, kind) as outage:
        try:
            desk.work(run_id)
        except Died:
            pass
        except Exception:
            assert kind == "loses"
    assert outage.struck
    assert Exemption.objects.get().used == (1 if when == BEFORE else 2)

    for _ in range(3):
        desk.work_on_after_waiting(run_id)
    assert desk.ledger.movements(order) == 1
    assert Exemption.objects.get().used == 2
    assert Proposal.objects.filter(run_id=run_id).count() == 1
    assert faults_in(desk.database, run_id) == []
    assert_tables_match_the_log(desk.database, run_id)


@pytest.mark.parametrize("before", ["open_proposal", "prepare_effect"])
def test_a_worker_that_is_killed_beside_it(
    before: str, desk: Desk, broker: object, worker_process: Callable[..., Worker]
) -> None:
    """Really killed. What it had opened goes on as it was opened; its lot is not drawn again."""
    given(desk, uses=1, one_in=20)
    hold = before if before == "open_proposal" else "run_parked"
    worker = worker_process(hold="statement", PLACET_HOLD_STATEMENT=hold)
    run_id = desk.start_run()
    desk.ask_for_refund(run_id, order := desk.purchase())
    worker.held()
    opened = Proposal.objects.filter(run_id=run_id).exists()
    worker.kill()

    for _ in range(3):
        desk.work_on_after_waiting(run_id)
    assert opened is (before != "open_proposal")
    assert Exemption.objects.get().used == 1
    assert [each.version for each in Proposal.objects.filter(run_id=run_id)] == [1]
    only = Proposal.objects.get(run_id=run_id)
    assert desk.ledger.movements(order) == (0 if only.drawn else 1)
    assert faults_in(desk.database, run_id) == []
    assert_tables_match_the_log(desk.database, run_id)
