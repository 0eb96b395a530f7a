"""A refund desk's agent at the API, people at the pages, workers behind them, and the ledger that
shows what really happened: everything is tried from outside."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, TypeVar, cast

from django.db import connection

from engine.models import Proposal
from oversight.models import Person
from tests.agents_api.caller import Caller
from tests.cast import People
from tests.pages.reading import Page, Reader
from tests.world import Desk

Place = tuple[uuid.UUID, uuid.UUID]
"""A run, and a proposal in it."""
Answer = TypeVar("Answer")


class Office:
    """The refund desk's agent at the API, and Rosa at the pages."""

    def __init__(self, desk: Desk, caller: Caller, people: People) -> None:
        self.desk, self.caller, self.ledger = desk, caller, desk.ledger
        self.rosa = Reader(people.rosa)

    def body(self, order: str, **changed: Any) -> dict[str, Any]:
        arguments = {"order": order, "customer": "Mara Vogel", "amount": "25.00"}
        usual = {"action": "ledger.refund", "arguments": arguments, "why": "It arrived broken."}
        return {**usual, **changed}

    def propose(self, order: str, run_id: uuid.UUID | None = None, **changed: Any) -> Place:
        """Propose a refund, in a run of its own unless said otherwise."""
        run_id = run_id or self.caller.start_run()
        return run_id, self.caller.propose(run_id, **self.body(order, **changed))

    def shown(self, place: Place) -> Proposal:
        """What there is to be decided, as the API tells it."""
        return cast(Proposal, SimpleNamespace(**self.caller.proposal(*place)))

    def decide(self, place: Place, decision: str = "approve", by: Person | None = None) -> Page:
        reader = self.rosa if by is None else Reader(by)
        return reader.decide(self.shown(place), decision)

    def work(self, *places: Place) -> None:
        """Workers come by until every run waits for somebody."""
        for run_id, _ in places:
            self.desk.work(run_id)

    def stands(self, place: Place) -> str:
        return str(self.caller.proposal(*place)["status"])

    def is_done(self, place: Place, order: str) -> bool:
        """Told as committed, and once in the ledger."""
        told = self.caller.proposal(*place)
        return (
            bool(told["final"] and told["effect"]["committed_at"])
            and told["effect"]["external_resource_id"] == order
            and (self.ledger.refunded(order), self.ledger.movements(order)) == ("25.00", 1)
        )


def at_once(*deeds: Callable[[], Answer]) -> list[Answer]:
    """Each by a thread of its own, on a connection of its own; they begin together."""
    gate = threading.Barrier(len(deeds))

    def one(deed: Callable[[], Answer]) -> Answer:
        gate.wait(10)
        try:
            return deed()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(deeds)) as threads:
        return list(threads.map(one, deeds))
