"""Whatever anybody does, in whatever order, with workers that die in between: money moves for what
was approved, once, and for nothing else.

Hypothesis makes up the stories and tells the shortest one that breaks a rule. The model beside the
engine is a handful of facts for each run.
"""

import contextlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
    run_state_machine_as_test,
)

from engine import api, sweeper, worker
from engine.errors import Conflict, PlacetError, Unavailable
from engine.models import Effect, Proposal, Stop
from tests.cast import AGENT, reviewer
from tests.engine.chain import faults_in
from tests.engine.test_replay import assert_tables_match_the_log
from tests.faults.outages import AFTER, BEFORE, KINDS, Died, Outage
from tests.world import Desk

pytestmark = pytest.mark.slow


@dataclass(slots=True, eq=False)
class Case:
    """One refund: what the model knows of it."""

    run_id: uuid.UUID
    order: str
    approved: bool = False
    """A reviewer's approval was taken, of whichever version; only then may money ever move."""
    told_to_finish: bool = False


OUTAGES = st.tuples(
    st.integers(1, 15), st.sampled_from([BEFORE, AFTER]), st.sampled_from(sorted(KINDS))
)
"""The n-th statement, before or after it is carried out, and what it is for the worker."""


class AnyOrder(RuleBasedStateMachine):
    cases = Bundle("cases")

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk, self.all = desk, []
        self.otto, self.rosa = reviewer(desk.people.otto), desk.people.rosa

    @rule(target=cases, fee=st.sampled_from(["0.00", "0.00", "1.50"]))
    def an_agent_asks(self, fee: str) -> Case:
        order = self.desk.purchase(handling_fee=fee)
        run_id = self.desk.start_run()
        self.desk.ask_for_refund(run_id, order)
        self.all.append(Case(run_id=run_id, order=order))
        return self.all[-1]

    @rule(case=cases, decision=st.sampled_from(["approve", "approve", "reject", "return"]))
    def a_reviewer_decides(self, case: Case, decision: str) -> None:
        proposal = self.newest(case)
        if proposal is None:
            return
        with contextlib.suppress(PlacetError):
            self.desk.decide(proposal, decision, by=self.rosa)
            case.approved |= decision == "approve"

    @rule(case=cases)
    def the_agent_answers(self, case: Case) -> None:
        if proposal := self.newest(case):
            with contextlib.suppress(Conflict):
                self.desk.answer(proposal, case.order)

    @rule(case=cases)
    def the_agent_withdraws(self, case: Case) -> None:
        if proposal := self.newest(case):
            with contextlib.suppress(Conflict):
                api.withdraw_proposal(case.run_id, proposal.proposal_id, agent=AGENT)

    @rule(case=consumes(cases))
    def the_agent_has_nothing_more_to_ask(self, case: Case) -> None:
        with contextlib.suppress(Conflict):
            api.finish_run(case.run_id, agent=AGENT)
        case.told_to_finish = True

    @rule(case=cases)
    def a_proposal_s_time_is_over(self, case: Case) -> None:
        if proposal := self.newest(case):
            self.overdue(proposal)
            sweeper.run_once()

    def overdue(self, proposal: Proposal) -> None:
        """Open ones alone: the projection of the others is compared with the log at the end."""
        self.desk.database.execute(
            "UPDATE engine_proposal SET valid_until = now() - interval '1 s'"
            " WHERE id = %s AND status = 'open'",
            proposal.pk,
        )

    @rule(rollbacks_run=st.booleans())
    def somebody_stops_everything(self, rollbacks_run: bool) -> None:
        with contextlib.suppress(Conflict):
            api.stop_everything(self.otto, "Odd.", rollbacks_run=rollbacks_run)

    @rule()
    def somebody_lets_it_go_on(self) -> None:
        with contextlib.suppress(Conflict):
            api.go_on(self.otto, "It was nothing.")

    @rule(case=cases)
    def a_worker_comes_by(self, case: Case) -> None:
        self.desk.work(case.run_id)

    @rule(case=cases, outage=OUTAGES)
    def a_worker_comes_by_and_dies(self, case: Case, outage: tuple[int, str, str]) -> None:
        with Outage(*outage), contextlib.suppress(Died, Unavailable):
            self.desk.work(case.run_id)

    @rule(case=cases, outage=OUTAGES)
    def it_is_approved_and_the_worker_dies(self, case: Case, outage: tuple[int, str, str]) -> None:
        """Time and again just where it matters most."""
        self.desk.work(case.run_id)
        self.a_reviewer_decides(case, "approve")
        self.a_worker_comes_by_and_dies(case, outage)

    @rule(case=cases)
    def a_worker_works_while_the_answers_get_lost(self, case: Case) -> None:
        with self.desk.ledger.answers_lost():
            self.desk.work(case.run_id)

    @rule(case=cases)
    def time_passes(self, case: Case) -> None:
        self.desk.database.time_passes_for(case.run_id)

    @rule(case=cases)
    def somebody_resumes(self, case: Case) -> None:
        with contextlib.suppress(PlacetError):
            api.resume_run(case.run_id, reviewer=self.otto, reason="Look again.")

    @invariant()
    def money_moves_only_for_what_was_approved(self) -> None:
        for case in self.all:
            assert self.desk.ledger.movements(case.order) <= (2 if case.approved else 0)
            assert self.desk.ledger.refunded(case.order) in ("0.00", "25.00", "23.50")

    @invariant()
    def nothing_is_committed_that_is_not_there(self) -> None:
        for case in self.all:
            committed = self.desk.database.rows(
                "SELECT 1 FROM engine_effect WHERE run_id = %s AND committed_at IS NOT NULL"
                " AND compensates_id IS NULL",
                case.run_id,
            )
            assert len(committed) <= 1
            if committed:
                assert self.desk.ledger.refunded(case.order) == "25.00"

    def teardown(self) -> None:
        """Everything is let go on until nothing more happens by itself; then the books agree."""
        if Stop.objects.filter(lifted_at=None).exists():
            api.go_on(self.otto, "The day is over.")
        for case in self.all:
            self.bring_home(case)
            self.settled(case)
            assert faults_in(self.desk.database, case.run_id) == []
            self.forget_hastened_times(case)
            assert_tables_match_the_log(self.desk.database, case.run_id)

    def bring_home(self, case: Case) -> None:
        for _ in range(30):
            self.desk.database.call_is_over_for(case.run_id)
            self.desk.database.time_passes_for(case.run_id)
            if worker.run_once(case.run_id).outcome in ("nothing to do", "waiting_approval"):
                return
            if self.waits_for_the_agent(case):
                return
        pytest.fail(f"it never comes to rest: {self.desk.database.kinds(case.run_id)[-20:]}")

    def settled(self, case: Case) -> None:
        """Nobody hinders anything any more: no run needs a person, and what is approved is done."""
        assert self.desk.run(case.run_id).status != "paused"
        proposal = self.newest(case)
        if proposal is not None and proposal.status == "approved":
            (effect,) = Effect.objects.filter(
                proposal_id=proposal.proposal_id, proposal_version=proposal.version
            )
            assert effect.committed_at or effect.status == "compensated"

    def waits_for_the_agent(self, case: Case) -> bool:
        run = self.desk.run(case.run_id)
        unsettled = self.desk.database.rows(
            "SELECT 1 FROM engine_effect WHERE run_id = %s"
            " AND (status IN ('prepared', 'executing', 'unknown')"
            " OR (status = 'succeeded' AND committed_at IS NULL))",
            case.run_id,
        )
        return run.status == "waiting_external" and not unsettled

    def forget_hastened_times(self, case: Case) -> None:
        """What this test moved back in the tables is put as the log has it."""
        self.desk.database.execute(
            "UPDATE engine_effect e SET call_deadline = i.at + make_interval(secs => i.seconds)"
            " FROM (SELECT DISTINCT ON (facts->>'effect_id') at,"
            "       (facts->>'effect_id')::uuid AS effect_id,"
            "       (facts->>'call_seconds')::float AS seconds"
            "       FROM (SELECT at, seq, convert_from(payload, 'UTF8')::json AS facts"
            "             FROM engine_event WHERE run_id = %s AND kind = 'effect_intended') v"
            "       ORDER BY facts->>'effect_id', seq DESC) i"
            " WHERE e.effect_id = i.effect_id",
            case.run_id,
        )
        self.desk.database.execute(
            "UPDATE engine_proposal o SET valid_until ="
            " (SELECT (convert_from(payload, 'UTF8')::json->>'valid_until')::timestamptz"
            "  FROM engine_event e WHERE e.run_id = o.run_id AND kind = 'proposal_opened'"
            "  AND convert_from(payload, 'UTF8')::json->>'id' = o.id::text)"
            " WHERE run_id = %s",
            case.run_id,
        )

    def newest(self, case: Case) -> Proposal | None:
        return Proposal.objects.filter(run_id=case.run_id).order_by("-version").first()


def told(desk: Desk) -> Callable[[], AnyOrder]:
    return lambda: AnyOrder(desk)


def test_in_any_order_money_moves_once_for_what_was_approved(desk: Desk) -> None:
    checks: Any = settings(
        max_examples=40,
        stateful_step_count=30,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    run_state_machine_as_test(told(desk), settings=checks)
