"""What operators say."""

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import rule

from engine import api
from tests.cast import AGENT
from tests.engine.any_order.case import Case, cases
from tests.engine.any_order.people import People

SCOPES: dict[str, Callable[[Case], str]] = {
    "everything": lambda case: "everything",
    "workflow": lambda case: f"workflow:{case.told.run['workflow']}",
    "action": lambda case: "action:ledger.refund",
    "agent": lambda case: AGENT,
    "run": lambda case: f"run:{case.run_id}",
}


class Operators(People):
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
