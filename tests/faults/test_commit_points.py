"""Every commit point fails both ways: nothing was written; or all was written and nobody told.

In this process and deterministic, beside the real killing of real processes.
"""

import random
import uuid

import pytest

from engine.errors import Unavailable
from tests.engine.chain import faults_in
from tests.faults.outages import AFTER, BEFORE, KINDS, Died, Outage
from tests.world import Desk

ENOUGH = 60
"""More than a run of one effect sends statements, more than recovery takes rounds."""


def an_approved_refund(desk: Desk) -> tuple[uuid.UUID, str]:
    order = desk.purchase()
    run_id = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    return run_id, order


def work_under(outage: Outage, desk: Desk, run_id: uuid.UUID) -> None:
    with outage:
        try:
            desk.work(run_id)
        except (Died, Unavailable):
            assert outage.struck


def recover(desk: Desk, run_id: uuid.UUID) -> None:
    """Others come by, each after what hinders them has passed, until the run has ended."""
    for _ in range(ENOUGH):
        if desk.run(run_id).ended_at:
            return
        desk.database.call_is_over_for(run_id)
        desk.work_on_after_waiting(run_id)
    pytest.fail(f"the run never ended: {desk.database.kinds(run_id)}")


def harm_done(desk: Desk, run_id: uuid.UUID, order: str) -> list[str]:
    """What is not as it would be without any outage."""
    effects = desk.database.rows("SELECT * FROM engine_effect WHERE run_id = %s", run_id)
    committed = [effect for effect in effects if effect["committed_at"]]
    checks = {
        "the run is completed": desk.run(run_id).status == "completed",
        "money moved once": desk.ledger.movements(order) == 1,
        "it moved wholly": desk.ledger.refunded(order) == "25.00",
        "one effect": len(effects) == len(committed) == 1,
        "no alert": not desk.database.rows("SELECT 1 FROM engine_alert WHERE run_id = %s", run_id),
        "one commit": desk.database.kinds(run_id).count("effect_committed") == 1,
    }
    broken = [what for what, holds in checks.items() if not holds]
    return broken + faults_in(desk.database, run_id)


def statements_of_a_run(desk: Desk) -> list[str]:
    run_id, order = an_approved_refund(desk)
    listening = Outage()
    work_under(listening, desk, run_id)
    assert harm_done(desk, run_id, order) == []
    return listening.sent


@pytest.mark.parametrize("when", [BEFORE, AFTER])
@pytest.mark.parametrize("kind", KINDS)
def test_an_outage_at_any_statement_does_no_harm(kind: str, when: str, desk: Desk) -> None:
    statements = statements_of_a_run(desk)
    assert any("intend_effect" in sql for sql in statements)
    harmed = {}

    for nth, sql in enumerate(statements, 1):
        run_id, order = an_approved_refund(desk)
        outage = Outage(nth, when, kind)
        work_under(outage, desk, run_id)
        assert outage.struck, f"statement {nth} was never sent"
        recover(desk, run_id)
        if harm := harm_done(desk, run_id, order):
            harmed[f"{when} {nth}: {sql}"] = harm

    assert harmed == {}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_outages_one_after_the_other_do_no_harm(seed: int, desk: Desk) -> None:
    """Five workers in a row meet an outage each, somewhere; the sixth one meets none."""
    chance = random.Random(seed)  # noqa: S311 - the seed is in the failure
    for _ in range(10):
        run_id, order = an_approved_refund(desk)
        struck = []
        for _ in range(5):
            outage = Outage(
                chance.randint(1, 14), chance.choice([BEFORE, AFTER]), chance.choice(list(KINDS))
            )
            desk.database.time_passes_for(run_id)
            work_under(outage, desk, run_id)
            struck.append(outage.sent[-1:])
        recover(desk, run_id)
        assert harm_done(desk, run_id, order) == [], (seed, struck)
