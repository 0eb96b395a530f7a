"""Every commit point fails both ways: nothing was written; or all was written and nobody told.

In this process and deterministic, beside the real killing of real processes.
"""

import random
import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from engine.errors import Unavailable
from tests.engine.chain import faults_in
from tests.faults.outages import AFTER, BEFORE, KINDS, Died, Outage
from tests.world import Desk

ENOUGH = 60
"""More than a run of one effect sends statements, more than recovery takes rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A refund, and what is left of it when nothing goes wrong."""

    handling_fee: str
    ends: str
    movements: int
    refunded: str
    effects: int
    alerts: int


STORIES = {
    "committed": Story(
        handling_fee="0.00", ends="completed", movements=1, refunded="25.00", effects=1, alerts=0
    ),
    "rolled back": Story(
        handling_fee="1.50", ends="rolled_back", movements=2, refunded="0.00", effects=2, alerts=1
    ),
}


def an_approved_refund(desk: Desk, story: Story) -> tuple[uuid.UUID, str]:
    order = desk.purchase(handling_fee=story.handling_fee)
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


def harm_done(desk: Desk, story: Story, run_id: uuid.UUID, order: str) -> list[str]:
    """What is not as it would be without any outage."""
    effects = desk.database.rows("SELECT * FROM engine_effect WHERE run_id = %s", run_id)
    alerts = desk.database.rows("SELECT * FROM engine_alert WHERE run_id = %s", run_id)
    kinds = desk.database.kinds(run_id)
    checks = {
        "the run's end": desk.run(run_id).status == story.ends,
        "how often money moved": desk.ledger.movements(order) == story.movements,
        "how much": desk.ledger.refunded(order) == story.refunded,
        "the keys": len(desk.ledger.honoured())
        == len({e["idempotency_key"] for e in all_of(desk)}),
        "the effects": len(effects) == story.effects,
        "what is committed": [e["committed_at"] is not None for e in effects].count(True) == 1,
        "the alerts": [alert["times"] for alert in alerts] == [1] * story.alerts,
        "the commits": kinds.count("effect_committed") == 1,
    }
    broken = [what for what, holds in checks.items() if not holds]
    return broken + faults_in(desk.database, run_id)


def all_of(desk: Desk) -> list[dict[str, Any]]:
    return desk.database.rows("SELECT idempotency_key FROM engine_effect")


def statements_of_a_run(desk: Desk, story: Story) -> list[str]:
    run_id, order = an_approved_refund(desk, story)
    listening = Outage()
    work_under(listening, desk, run_id)
    assert harm_done(desk, story, run_id, order) == []
    return listening.sent


@pytest.mark.parametrize("when", [BEFORE, AFTER])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("told", STORIES)
def test_c03_an_outage_at_any_statement_does_no_harm(
    told: str, kind: str, when: str, desk: Desk
) -> None:
    story = STORIES[told]
    statements = statements_of_a_run(desk, story)
    assert any("intend_effect" in sql for sql in statements)
    harmed = {}

    for nth, sql in enumerate(statements, 1):
        run_id, order = an_approved_refund(desk, story)
        outage = Outage(nth, when, kind)
        work_under(outage, desk, run_id)
        assert outage.struck, f"statement {nth} was never sent"
        recover(desk, run_id)
        if harm := harm_done(desk, story, run_id, order):
            harmed[f"{when} {nth}: {sql}"] = harm

    assert harmed == {}


@pytest.mark.slow
@pytest.mark.parametrize("told", STORIES)
@pytest.mark.parametrize("seed", range(5))
def test_outages_one_after_the_other_do_no_harm(seed: int, told: str, desk: Desk) -> None:
    """Five workers in a row meet an outage each, somewhere; the sixth one meets none."""
    chance = random.Random(seed)  # noqa: S311 - the seed is in the failure
    story = STORIES[told]
    for _ in range(10):
        run_id, order = an_approved_refund(desk, story)
        struck = []
        for _ in range(5):
            when, kind = chance.choice([BEFORE, AFTER]), chance.choice(list(KINDS))
            outage = Outage(chance.randint(1, 14), when, kind)
            desk.database.time_passes_for(run_id)
            work_under(outage, desk, run_id)
            struck.append(outage.sent[-1:])
        recover(desk, run_id)
        assert harm_done(desk, story, run_id, order) == [], (seed, struck)


@pytest.mark.slow
@pytest.mark.parametrize("told", STORIES)
def test_every_pair_of_deaths_does_no_harm(told: str, desk: Desk) -> None:
    """One worker dies after its n-th statement, the next one after its m-th, for all n and m.

    To die before a statement is to die after the one before it: every place is in here.
    """
    story = STORIES[told]
    harmed = {}
    for first in range(1, len(statements_of_a_run(desk, story)) + 1):
        for second in range(1, ENOUGH):
            run_id, order = an_approved_refund(desk, story)
            work_under(Outage(first, AFTER), desk, run_id)
            desk.database.call_is_over_for(run_id)
            desk.database.time_passes_for(run_id)
            later = Outage(second, AFTER)
            work_under(later, desk, run_id)
            recover(desk, run_id)
            if harm := harm_done(desk, story, run_id, order):
                harmed[first, second] = harm
            if not later.struck:
                break

    assert harmed == {}
