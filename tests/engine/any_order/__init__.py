"""Everything that anybody can say to a run, for Hypothesis to say in any order.

Before each word, `Expected` reads from the log alone whether it must be taken. After each step
every log that has grown is read again by the rules of `broken`, and the ledger is asked.
"""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis.stateful import invariant

from engine import worker
from engine.waits import sleep_for, wait_for
from engine.workflows import Context, Next, Workflow, finish, propose
from tests.engine.any_order.case import Case
from tests.engine.any_order.operators import Operators
from tests.engine.broken import Told
from tests.engine.chain import faults_in
from tests.engine.hastened import forget_hastened_times
from tests.engine.test_replay import assert_tables_match_the_log


def refund_when_the_goods_are_back() -> None:
    """A graph that waits for an event and for a time, and then proposes."""
    made = Workflow("goods", start="await_goods")

    def await_goods(ctx: Context) -> Next:
        day, key = timedelta(days=1), ctx.state["order"]
        return wait_for("goods_back", key=key, then="rest", expires=day, otherwise="kept")

    def rest(ctx: Context) -> Next:
        return sleep_for(timedelta(hours=1), then="pay")

    def pay(ctx: Context) -> Next:
        arguments = {"order": ctx.state["order"], "customer": "Mara Vogel", "amount": "25.00"}
        why = "The goods have come back."
        return propose("ledger.refund", arguments, why=why, then="kept", otherwise="kept")

    def kept(ctx: Context) -> Next:
        return finish()

    made.node(to=["rest", "kept"])(await_goods)
    made.node(to=["pay"])(rest)
    made.node(to=["kept"])(pay)
    made.node(ends=True)(kept)


def rests(told: Told, outcome: str) -> bool:
    """Nothing more happens by itself: a worker has nothing to do, or waits for somebody's word."""
    if outcome == "waiting_external":
        return not told.unsettled and told.wait is None
    return outcome in ("nothing to do", "waiting_approval", "paused")


class AnyOrder(Operators):
    """What must be so, whatever was said."""

    @invariant()
    def no_log_breaks_a_rule_and_the_ledger_agrees(self) -> None:
        """Where nothing is under way, money is where the effects that stand have put it."""
        for case in self.all:
            self.seen(case)
        for order in {case.order for case in self.all}:
            mine = [case.told for case in self.all if case.order == order]
            assert self.ledger.movements(order) <= 2 * self.approvals.get(order, 0)
            if not any(told.under_way for told in mine):
                standing = sum(len(told.standing) for told in mine)
                row = "SELECT refunded, handling_fee FROM purchase WHERE order_no = %s"
                (there,) = self.ledger.rows(row, order)
                due = standing * (Decimal("25.00") - there["handling_fee"])
                assert there["refunded"] == due, [told.effects for told in mine]

    def teardown(self) -> None:
        """Nobody hinders anything any more; what needs a person gets one; then the books agree."""
        for scope in self.in_force():
            self.let_go_on(scope)
        for case in self.all:
            self.bring_home(case)
        self.no_log_breaks_a_rule_and_the_ledger_agrees()
        for case in self.all:
            assert faults_in(self.database, case.run_id) == []
            forget_hastened_times(self.database, case.run_id)
            assert_tables_match_the_log(self.database, case.run_id)

    def bring_home(self, case: Case) -> None:
        for _ in range(40):
            self.database.call_is_over_for(case.run_id)
            self.time_passes(case)
            outcome = worker.run_once(case.run_id).outcome
            told = self.seen(case).told
            if told.status == "paused" and told.reason != "rollback_failed":
                self.look_after(case)
            elif rests(told, outcome):
                assert not told.unspent or told.status == "paused", "it was approved for nothing"
                return
        pytest.fail(f"it never comes to rest: {self.database.kinds(case.run_id)[-20:]}")

    def look_after(self, case: Case) -> None:
        """A person does what there is to do about a run that stands still."""
        self.somebody_rules(case, False)
        self.somebody_accepts(case)
        self.somebody_raises_the_budget(case)
        self.somebody_resumes(case)
