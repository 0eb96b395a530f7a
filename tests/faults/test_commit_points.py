"""Every commit point fails both ways: nothing was written; or all was written and nobody told.
For three effects in a row every call of the target fails both ways, too.

In this process and deterministic, beside the real killing of real processes.
"""

import random
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from engine import api
from engine.errors import Unavailable
from engine.models import Proposal
from tests.cast import AGENT
from tests.engine.chain import faults_in
from tests.faults.outages import AFTER, BEFORE, KINDS, Died, Outage
from tests.world import DESK_BALANCE, Desk

ENOUGH = 150
"""More than a run sends statements, more than recovery takes rounds."""

SHARES = 20
REST = [("dies", BEFORE), ("loses", BEFORE), ("loses", AFTER)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Refunds of one order by one run, and what is left of it when nothing goes wrong."""

    ends: str
    movements: int
    refunded: str
    effects: int
    amounts: tuple[str, ...] = ("25.00",)
    handling_fee: str = "0.00"
    committed: int = 1
    alerts: int = 0
    calls: bool = False


STORIES = {
    "committed": Story(ends="completed", movements=1, refunded="25.00", effects=1),
    "rolled back": Story(
        handling_fee="1.50", ends="rolled_back", movements=2, refunded="0.00", effects=2, alerts=1
    ),
}
THREE_EFFECTS = Story(
    amounts=("25.00", "10.00", "7.50"),
    ends="completed",
    movements=3,
    refunded="42.50",
    effects=3,
    committed=3,
    calls=True,
)


def an_approved_refund(desk: Desk, story: Story) -> tuple[uuid.UUID, str]:
    """The first one approved, nothing of it done yet; the desk has what it had at first."""
    desk.ledger.set_balance(DESK_BALANCE)
    order = desk.purchase(handling_fee=story.handling_fee)
    begin = begun_by_a_graph if len(story.amounts) == 1 else begun_by_an_agent
    run_id = begin(desk, story, order)
    desk.work(run_id)
    desk.approve(desk.proposal(run_id))
    return run_id, order


def begun_by_a_graph(desk: Desk, story: Story, order: str) -> uuid.UUID:
    (amount,) = story.amounts
    return desk.start_run("refund", order=order, customer="Mara Vogel", amount=amount)


def begun_by_an_agent(desk: Desk, story: Story, order: str) -> uuid.UUID:
    """It says at once all that it wants."""
    run_id, so_far = desk.start_run(), Decimal("0.00")
    for amount in story.amounts:
        desk.ask_for_refund(run_id, order, amount, refunded_so_far=str(so_far))
        so_far += Decimal(amount)
    api.finish_run(run_id, agent=AGENT)
    return run_id


def work_under(outage: Outage, desk: Desk, run_id: uuid.UUID) -> None:
    """A worker under an outage, for as long as there is something to decide in between."""
    try:
        while True:
            with outage:
                desk.work(run_id)
            if not approved_what_is_open(desk, run_id):
                return
    except (Died, Unavailable):
        assert outage.struck


def approved_what_is_open(desk: Desk, run_id: uuid.UUID) -> bool:
    proposal = Proposal.objects.filter(run_id=run_id, status="open").first()
    if proposal is None:
        return False
    desk.approve(proposal)
    return True


def recover(desk: Desk, run_id: uuid.UUID) -> None:
    """Others come by, each after what hinders them has passed, until the run has ended."""
    for _ in range(ENOUGH):
        if desk.run(run_id).ended_at:
            return
        approved_what_is_open(desk, run_id)
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
        "what is committed": [e["committed_at"] is not None for e in effects].count(True)
        == story.committed,
        "the alerts": [alert["times"] for alert in alerts] == [1] * story.alerts,
        "the commits": kinds.count("effect_committed") == story.committed,
    }
    broken = [what for what, holds in checks.items() if not holds]
    return broken + faults_in(desk.database, run_id)


def all_of(desk: Desk) -> list[dict[str, Any]]:
    return desk.database.rows("SELECT idempotency_key FROM engine_effect")


def statements_of_a_run(desk: Desk, story: Story) -> list[str]:
    run_id, order = an_approved_refund(desk, story)
    listening = Outage(calls=story.calls)
    work_under(listening, desk, run_id)
    assert harm_done(desk, story, run_id, order) == []
    return listening.sent


@pytest.mark.parametrize("when", [BEFORE, AFTER])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("told", STORIES)
def test_c03_an_outage_at_any_statement_does_no_harm(
    told: str, kind: str, when: str, desk: Desk
) -> None:
    assert harmed_by_outages(desk, STORIES[told], when, kind) == {}


@pytest.mark.parametrize(
    ("kind", "when"),
    [
        ("dies", AFTER),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in REST),
    ],
)
def test_an_outage_at_any_statement_or_call_of_three_effects_does_no_harm(
    kind: str, when: str, desk: Desk
) -> None:
    """To die before a statement or a call is to die after the one before it."""
    assert harmed_by_outages(desk, THREE_EFFECTS, when, kind) == {}


def harmed_by_outages(desk: Desk, story: Story, when: str, kind: str) -> dict[str, list[str]]:
    """Where the outage was that did harm, and what harm."""
    statements = statements_of_a_run(desk, story)
    intents = [sql for sql in statements if "intend_effect" in sql]
    assert len(intents) >= len(story.amounts)
    assert statements.count("call: execute") == (len(story.amounts) if story.calls else 0)
    harmed = {}

    for nth, sql in enumerate(statements, 1):
        run_id, order = an_approved_refund(desk, story)
        outage = Outage(nth, when, kind, calls=story.calls)
        work_under(outage, desk, run_id)
        assert outage.struck, f"statement {nth} was never sent"
        recover(desk, run_id)
        if harm := harm_done(desk, story, run_id, order):
            harmed[f"{when} {nth}: {sql}"] = harm
    return harmed


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
    assert harmed_by_pairs(desk, STORIES[told], first=1, step=1) == {}


@pytest.mark.slow
@pytest.mark.parametrize("share", range(1, SHARES + 1))
def test_every_pair_of_deaths_in_three_effects_does_no_harm(share: int, desk: Desk) -> None:
    """In shares, since all of them take minutes."""
    assert harmed_by_pairs(desk, THREE_EFFECTS, first=share, step=SHARES) == {}


def harmed_by_pairs(
    desk: Desk, story: Story, *, first: int, step: int
) -> dict[tuple[int, int], list[str]]:
    """One worker dies after its n-th statement, the next one after its m-th, for all m and every
    n from `first` in steps.

    To die before a statement is to die after the one before it: every place is in here.
    """
    harmed = {}
    for nth in range(first, len(statements_of_a_run(desk, story)) + 1, step):
        for second in range(1, ENOUGH):
            run_id, order = an_approved_refund(desk, story)
            work_under(Outage(nth, AFTER, calls=story.calls), desk, run_id)
            desk.database.call_is_over_for(run_id)
            desk.database.time_passes_for(run_id)
            later = Outage(second, AFTER, calls=story.calls)
            work_under(later, desk, run_id)
            recover(desk, run_id)
            if harm := harm_done(desk, story, run_id, order):
                harmed[nth, second] = harm
            if not later.struck:
                break
    return harmed
