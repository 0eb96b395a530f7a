"""A worker dies, or loses its database, at every statement of the rollback of a whole run."""

import uuid

import pytest

from engine import api
from tests.cast import AGENT, reviewer
from tests.engine.chain import faults_in
from tests.faults.outages import AFTER, BEFORE, KINDS, Died, Outage
from tests.faults.test_commit_points import recover, work_under
from tests.world import Desk

COUNT = 3


def three_refunds(desk: Desk) -> tuple[uuid.UUID, list[str]]:
    run_id, orders = desk.start_run(), [desk.purchase() for _ in range(COUNT)]
    for order in orders:
        desk.ask_for_refund(run_id, order)
        desk.work(run_id)
        desk.approve(desk.proposal(run_id))
        desk.work(run_id)
    return run_id, orders


def rolling_back(desk: Desk, *, ended: bool) -> tuple[uuid.UUID, uuid.UUID, list[str]]:
    """What was done, what takes it back, and the orders; nobody has taken the rollback up yet."""
    run_id, orders = three_refunds(desk)
    if ended:
        api.finish_run(run_id, agent=AGENT)
        desk.work(run_id)
    by = api.roll_back(run_id, operator=reviewer(desk.people.otto), reason="It was sound.")
    return run_id, by, orders


def harm_done(desk: Desk, run_id: uuid.UUID, by: uuid.UUID, orders: list[str]) -> list[str]:
    rows = desk.database.rows("SELECT * FROM engine_effect WHERE run_id IN (%s, %s)", run_id, by)
    checks = {
        "the rollback's end": desk.run(by).status == "rolled_back",
        "how often money moved": [desk.ledger.movements(o) for o in orders] == [2] * COUNT,
        "how much": [desk.ledger.refunded(o) for o in orders] == ["0.00"] * COUNT,
        "the effects": len(rows) == 2 * COUNT,
        "what is taken back": [row["status"] for row in rows].count("compensated") == COUNT,
        "the alerts": desk.database.rows("SELECT 1 FROM engine_alert") == [],
    }
    broken = [what for what, holds in checks.items() if not holds]
    return broken + faults_in(desk.database, run_id) + faults_in(desk.database, by)


@pytest.mark.slow
@pytest.mark.parametrize("ended", [False, True], ids=["its own run", "another run"])
@pytest.mark.parametrize("when", [BEFORE, AFTER])
@pytest.mark.parametrize("kind", KINDS)
def test_c63_an_outage_at_any_statement_does_no_harm(
    kind: str, when: str, ended: bool, desk: Desk
) -> None:
    harmed, nth = {}, 0
    while True:
        nth += 1
        run_id, by, orders = rolling_back(desk, ended=ended)
        outage = Outage(nth, when, kind)
        work_under(outage, desk, by)
        recover(desk, by)
        if harm := harm_done(desk, run_id, by, orders):
            harmed[f"{when} {nth}: {outage.sent[-1]}"] = harm
        if not outage.struck:
            break

    assert nth > 8 * COUNT
    assert harmed == {}


def test_a_death_in_the_middle_of_the_second_step_does_no_harm(desk: Desk) -> None:
    run_id, by, orders = rolling_back(desk, ended=False)
    outage = Outage(12, AFTER)
    with pytest.raises(Died), outage:
        desk.work(by)
    recover(desk, by)

    assert harm_done(desk, run_id, by, orders) == []
