"""One run about one order; and how what is said to it is heard and read."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hypothesis.stateful import Bundle, RuleBasedStateMachine

from engine import api
from engine.errors import PlacetError
from engine.models import Proposal
from tests.cast import reviewer
from tests.engine.broken import Told, read
from tests.engine.expected import Expected
from tests.world import Desk


@dataclass(slots=True, eq=False)
class Case:
    """One run about one order."""

    run_id: uuid.UUID
    order: str
    told: Told
    seen: int = 0


cases: Bundle[Case] = Bundle("cases")


class AtTheDesk(RuleBasedStateMachine):
    """All that was begun, and what everybody asks about it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk, self.database, self.ledger = desk, desk.database, desk.ledger
        self.otto, self.rosa = reviewer(desk.people.otto), desk.people.rosa
        self.all: list[Case] = []
        self.arrived: set[str] = set()
        self.approvals: dict[str, int] = {}

    def begun(self, workflow: str, fee: str, budget: dict[str, int]) -> Case:
        order = self.desk.purchase(handling_fee=fee)
        run_id = api.start_run(
            workflow, {"order": order}, initiator=self.desk.people.agent, budget=budget
        )
        return self.known(run_id, order)

    def known(self, run_id: uuid.UUID, order: str) -> Case:
        self.all.append(Case(run_id=run_id, order=order, told=Told(stops=[])))
        return self.seen(self.all[-1])

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
