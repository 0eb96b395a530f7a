"""Everything that anybody can say to a run, for Hypothesis to say in any order.

Before each word, `Expected` reads from the log alone whether it must be taken. After each step
every log that has grown is read again by the rules of `broken`, and the ledger is asked.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from engine import api, sweeper, worker
from engine.errors import PlacetError, Unavailable
from engine.models import Proposal
from engine.waits import sleep_for, wait_for
from engine.workflows import Context, Next, Workflow, finish, propose
from tests.cast import AGENT, reviewer
from tests.engine.broken import Told, read
from tests.engine.chain import faults_in
from tests.engine.expected import Expected
from tests.engine.hastened import forget_hastened_times
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.outages import AFTER, BEFORE, KINDS, Died, Outage
from tests.world import Desk


@dataclass(slots=True, eq=False)
class Case:
    """One run about one order."""

    run_id: uuid.UUID
    order: str
    told: Told
    seen: int = 0


OUTAGES = st.tuples(
    st.integers(1, 15), st.sampled_from([BEFORE, AFTER]), st.sampled_from(sorted(KINDS))
)
"""The n-th statement, before or after it is carried out, and what it is for the worker."""

SCOPES: dict[str, Callable[[Case], str]] = {
    "everything": lambda case: "everything",
    "workflow": lambda case: f"workflow:{case.told.run['workflow']}",
    "action": lambda case: "action:ledger.refund",
    "agent": lambda case: AGENT,
    "run": lambda case: f"run:{case.run_id}",
}


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


class AnyOrder(RuleBasedStateMachine):
    cases = Bundle("cases")

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk, self.database, self.ledger = desk, desk.database, desk.ledger
        self.otto, self.rosa = reviewer(desk.people.otto), desk.people.rosa
        self.all: list[Case] = []
        self.arrived: set[str] = set()
        self.approvals: dict[str, int] = {}

    @rule(target=cases, fee=st.sampled_from(["0.00", "0.00", "1.50"]))
    def an_agent_asks(self, fee: str) -> Case:
        case = self.begun("agent", fee, {"max_effects": 1})
        self.desk.ask_for_refund(case.run_id, case.order)
        return self.seen(case)

    @rule(target=cases)
    def a_run_waits_for_goods(self) -> Case:
        case = self.begun("goods", "0.00", {"max_steps": 2})
        self.a_worker_comes_by(case)
        return case

    def begun(self, workflow: str, fee: str, budget: dict[str, int]) -> Case:
        order = self.desk.purchase(handling_fee=fee)
        run_id = api.start_run(
            workflow, {"order": order}, initiator=self.desk.people.agent, budget=budget
        )
        return self.known(run_id, order)

    def known(self, run_id: uuid.UUID, order: str) -> Case:
        self.all.append(Case(run_id=run_id, order=order, told=Told(stops=[])))
        return self.seen(self.all[-1])

    # What people, the agent and the outside say.

    @rule(case=cases, decision=st.sampled_from(["approve", "approve", "reject", "return"]))
    def a_reviewer_decides(self, case: Case, decision: str) -> None:
        if proposal := self.newest(case):
            with self.answered(case, self.expected(case).decision(decision)) as said:
                self.desk.decide(proposal, decision, by=self.rosa)
            if not said and decision == "approve":
                self.approvals[case.order] = self.approvals.get(case.order, 0) + 1

    @rule(case=cases)
    def the_agent_asks_again(self, case: Case) -> None:
        agents = case.told.run["workflow"] == "agent"
        with self.answered(case, agents and not case.told.ended):
            self.desk.ask_for_refund(case.run_id, case.order)

    @rule(case=cases)
    def the_agent_answers(self, case: Case) -> None:
        if proposal := self.newest(case):
            with self.answered(case, self.expected(case).answer()):
                self.desk.answer(proposal, case.order)

    @rule(case=cases)
    def the_agent_withdraws(self, case: Case) -> None:
        if proposal := self.newest(case):
            with self.answered(case, self.expected(case).withdrawal()):
                api.withdraw_proposal(case.run_id, proposal.proposal_id, agent=AGENT)

    @rule(case=cases)
    def the_agent_has_nothing_more_to_ask(self, case: Case) -> None:
        agents = case.told.run["workflow"] == "agent"
        with self.answered(case, agents and not case.told.ended):
            api.finish_run(case.run_id, agent=AGENT)

    @rule(case=cases, number=st.integers(1, 2))
    def the_goods_come_back(self, case: Case, number: int) -> None:
        """Told under one of two ids, for the first time or again."""
        external = f"{case.order}#{number}"
        waiting = {each.run_id for each in self.all if self.waits_for(each, case.order)}
        delivered = "delivered" if waiting else "kept"
        expected = "duplicate_ignored" if external in self.arrived else delivered
        told = api.deliver_event("goods_back", case.order, external, {}, sender="agent:warehouse")
        self.arrived.add(external)
        assert told.outcome == expected
        assert set(told.run_ids) == (waiting if expected == "delivered" else set())

    def waits_for(self, case: Case, key: str) -> bool:
        """Its time is not over: the table knows when that was moved back."""
        wait = case.told.wait or {}
        overdue = "SELECT until <= clock_timestamp() FROM engine_wait WHERE wait_id = %s"
        return wait.get("key") == key and not self.database.value(overdue, wait["wait_id"])

    @rule(case=cases)
    def a_proposal_s_time_is_over(self, case: Case) -> None:
        if proposal := self.newest(case):
            self.database.execute(
                "UPDATE engine_proposal SET valid_until = now() - interval '1 s'"
                " WHERE id = %s AND status = 'open'",
                proposal.pk,
            )
            sweeper.run_once()

    # What operators say.

    @rule(case=cases)
    def somebody_pauses(self, case: Case) -> None:
        with self.answered(case, not case.told.ended and case.told.status != "paused"):
            api.pause_run(case.run_id, operator=self.otto, reason="A moment.")

    @rule(case=cases)
    def somebody_cancels(self, case: Case) -> None:
        with self.answered(case, self.expected(case).cancelling()):
            api.cancel_run(case.run_id, operator=self.otto, reason="Not wanted any more.")

    @rule(case=cases)
    def somebody_resumes(self, case: Case) -> None:
        with self.answered(case, case.told.status == "paused"):
            api.resume_run(case.run_id, reviewer=self.otto, reason="Look again.")

    @rule(case=cases)
    def somebody_raises_the_budget(self, case: Case) -> None:
        with self.answered(case, not case.told.ended):
            api.raise_budget(case.run_id, {}, operator=self.otto, reason="It may go on.")

    @rule(target=cases, case=cases, part=st.floats(0, 1))
    def somebody_forks(self, case: Case, part: float) -> Case:
        """From any event of it. A rollback is not forked."""
        seq = max(1, round(part * case.seen))
        may = not case.told.unsettled and case.told.run["workflow"] != "rollback"
        with self.answered(case, may) as said:
            forked = api.fork_run(case.run_id, seq, operator=self.otto, reason="Once more.")
        return case if said else self.known(forked, case.order)

    @rule(target=cases, case=cases)
    def somebody_rolls_back(self, case: Case) -> Case:
        """What does not stand, or is under way, is never taken back; the rest depends."""
        may = None if case.told.standing and not case.told.under_way else False
        if case.told.run["workflow"] == "rollback":
            may = None
        with self.answered(case, may) as said:
            by = api.roll_back(case.run_id, operator=self.otto, reason="It was wrong.")
        return case if said or by == case.run_id else self.known(by, case.order)

    @rule(case=cases, partly=st.booleans())
    def somebody_rules(self, case: Case, partly: bool) -> None:
        """Of an effect of which nobody can tell, what the ledger shows."""
        unknown = [
            row
            for row in self.effects(case)
            if row["status"] == "unknown" and row["compensates_id"] is None
        ]
        for row in unknown:
            self.database.call_is_over_for(case.run_id)
            honoured = {str(kept["key"]) for kept in self.ledger.honoured()}
            happened = row["idempotency_key"] in honoured
            resolution = ("partly" if partly else "happened") if happened else "did_not_happen"
            with self.answered(case, True):
                api.resolve_effect(
                    case.run_id,
                    row["effect_id"],
                    operator=self.otto,
                    resolution=resolution,
                    reason="The ledger shows it.",
                    seen_evidence="Its list of movements.",
                    resource_id="1" if happened else None,
                )

    @rule(case=cases)
    def somebody_accepts(self, case: Case) -> None:
        for row in self.effects(case):
            wrong = row["verification"] in ("mismatch", "partial", "unverifiable")
            paused = (case.told.status, case.told.reason) == ("paused", "verification_failed")
            may = None if wrong and paused and row["committed_at"] is None else False
            with self.answered(case, may):
                api.accept_effect(
                    case.run_id,
                    row["effect_id"],
                    operator=self.otto,
                    reason="Good enough.",
                    seen_evidence="The ledger.",
                )

    @rule(case=cases, kind=st.sampled_from(sorted(SCOPES)), rollbacks_run=st.booleans())
    def somebody_stops(self, case: Case, kind: str, rollbacks_run: bool) -> None:
        scope = SCOPES[kind](case)
        may = None if scope == "workflow:rollback" else scope not in self.in_force()
        with self.answered(case, may):
            api.stop(self.otto, "Odd.", scope=scope, rollbacks_run=rollbacks_run)

    @rule(case=cases, kind=st.sampled_from(sorted(SCOPES)))
    def somebody_lets_it_go_on(self, case: Case, kind: str) -> None:
        scope = SCOPES[kind](case)
        with self.answered(case, scope in self.in_force()):
            self.let_go_on(scope)

    def let_go_on(self, scope: str) -> None:
        """Where it takes two, whoever sits at the machine agrees."""
        if not api.go_on(self.otto, "It was nothing.", scope=scope):
            assert api.go_on(api.Command(user="root"), "So it is.", scope=scope, agrees=True)

    # What workers do, and what happens to them.

    @rule(case=cases)
    def a_worker_comes_by(self, case: Case) -> None:
        self.desk.work(case.run_id)
        self.seen(case)

    @rule(case=cases, outage=OUTAGES)
    def a_worker_comes_by_and_dies(self, case: Case, outage: tuple[int, str, str]) -> None:
        with Outage(*outage, calls=True), suppress(Died, Unavailable):
            self.desk.work(case.run_id)
        self.seen(case)

    @rule(case=cases, outage=OUTAGES)
    def it_is_approved_and_the_worker_dies(self, case: Case, outage: tuple[int, str, str]) -> None:
        """Time and again just where it matters most."""
        self.a_worker_comes_by(case)
        self.a_reviewer_decides(case, "approve")
        self.a_worker_comes_by_and_dies(case, outage)

    @rule(case=cases)
    def a_worker_works_while_the_answers_get_lost(self, case: Case) -> None:
        with self.ledger.answers_lost():
            self.a_worker_comes_by(case)

    @rule(case=cases)
    def the_ledger_is_shut_for_a_day(self, case: Case) -> None:
        with self.ledger.unreachable():
            for _ in range(8):
                self.time_passes(case)
                self.a_worker_comes_by(case)

    @rule(case=cases)
    def time_passes(self, case: Case) -> None:
        self.database.time_passes_for(case.run_id)

    # What must be so, whatever was said.

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

    # How this machine reads and asks.

    def seen(self, case: Case) -> Case:
        """The case, its log read again if it has grown."""
        if self.desk.run(case.run_id).last_seq != case.seen:
            log = self.database.log(case.run_id)
            case.told, wrong = read(log, self.database.rows("SELECT * FROM engine_stop"))
            case.seen = log[-1]["seq"]
            assert wrong == [], (wrong, [event["kind"] for event in log])
        return case

    @contextmanager
    def answered(self, case: Case, may: bool | None) -> Iterator[list[PlacetError]]:
        """What is said inside is taken or refused as it must be; None: it may be either."""
        said: list[PlacetError] = []
        try:
            yield said
        except PlacetError as refusal:
            said.append(refusal)
        assert may is None or (not said) is may, f"refused: {said}, should be taken: {may}"
        self.seen(case)

    def expected(self, case: Case) -> Expected:
        return Expected(case.told, self.in_force())

    def in_force(self) -> set[str]:
        rows = self.database.rows("SELECT scope FROM engine_stop WHERE lifted_at IS NULL")
        return {row["scope"] for row in rows}

    def effects(self, case: Case) -> list[dict[str, Any]]:
        return self.database.rows("SELECT * FROM engine_effect WHERE run_id = %s", case.run_id)

    def newest(self, case: Case) -> Proposal | None:
        return Proposal.objects.filter(run_id=case.run_id).order_by("opened_at").last()
