"""What people, the agent and the outside say."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from engine import api, sweeper
from tests.cast import AGENT
from tests.engine.any_order.case import Case, cases
from tests.engine.any_order.workers import OUTAGES, Workers


class People(Workers):
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

    @rule(case=cases, outage=OUTAGES)
    def it_is_approved_and_the_worker_dies(self, case: Case, outage: tuple[int, str, str]) -> None:
        """Time and again just where it matters most."""
        self.a_worker_comes_by(case)
        self.a_reviewer_decides(case, "approve")
        self.a_worker_comes_by_and_dies(case, outage)
