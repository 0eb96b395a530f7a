"""What workers do, and what happens to them."""

from contextlib import suppress

from hypothesis import strategies as st
from hypothesis.stateful import rule

from engine.errors import Unavailable
from tests.engine.any_order.case import AtTheDesk, Case, cases
from tests.faults.outages import AFTER, BEFORE, KINDS, Died, Outage

OUTAGES = st.tuples(
    st.integers(1, 15), st.sampled_from([BEFORE, AFTER]), st.sampled_from(sorted(KINDS))
)
"""The n-th statement, before or after it is carried out, and what it is for the worker."""


class Workers(AtTheDesk):
    @rule(case=cases)
    def a_worker_comes_by(self, case: Case) -> None:
        self.desk.work(case.run_id)
        self.seen(case)

    @rule(case=cases, outage=OUTAGES)
    def a_worker_comes_by_and_dies(self, case: Case, outage: tuple[int, str, str]) -> None:
        with Outage(*outage, calls=True), suppress(Died, Unavailable):
            self.desk.work(case.run_id)
        self.seen(case)

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
