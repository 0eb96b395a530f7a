"""Refunds to take back, and operators who do, as several tests need them."""

import uuid

from engine import api
from engine.models import Effect
from tests.cast import AGENT, reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk


class Refunds:
    """A run of three refunds, each on an order of its own; all committed."""

    def __init__(self, desk: Desk, count: int = 3) -> None:
        self.desk = desk
        self.run_id = desk.start_run()
        self.orders = [desk.purchase() for _ in range(count)]
        for order in self.orders:
            desk.ask_for_refund(self.run_id, order)
            desk.work(self.run_id)
            desk.approve(desk.proposal(self.run_id))
            desk.work(self.run_id)
        self.effects = [effect.pk for effect in Effect.objects.order_by("committed_at")]

    def ended(self) -> "Refunds":
        api.finish_run(self.run_id, agent=AGENT)
        self.desk.work(self.run_id)
        assert self.desk.run(self.run_id).status == "completed"
        return self

    def refunded(self) -> list[str]:
        return [self.desk.ledger.refunded(order) for order in self.orders]

    def standing(self) -> list[str]:
        return [Effect.objects.get(pk=effect).status for effect in self.effects]


def roll_back(desk: Desk, run_id: uuid.UUID, *effects: uuid.UUID) -> uuid.UUID:
    return api.roll_back(
        run_id,
        operator=reviewer(desk.people.otto),
        reason="The lamps were sound.",
        effect_ids=effects or None,
    )


def confirm(desk: Desk, run_id: uuid.UUID, effect: uuid.UUID) -> None:
    api.confirm_by_hand(
        run_id,
        effect,
        operator=reviewer(desk.people.otto),
        seen_evidence="The bank's letter of today.",
        reason="I had it paid back.",
    )


def resume(desk: Desk, run_id: uuid.UUID) -> None:
    api.resume_run(run_id, reviewer=reviewer(desk.people.otto), reason="Go on.")


def assert_sound(desk: Desk, *runs: uuid.UUID) -> None:
    for run_id in runs:
        assert faults_in(desk.database, run_id) == []
        assert_tables_match_the_log(desk.database, run_id)


def somebody_else_refunds(desk: Desk, order: str, amount: str = "30.00") -> None:
    desk.ledger.execute(
        "UPDATE purchase SET refunded = %s::numeric WHERE order_no = %s", amount, order
    )
