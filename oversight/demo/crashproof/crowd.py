"""Many runs of one refund each, and Rosa, who approves them while everything around her breaks."""

import uuid
from collections import Counter
from threading import Event

from django.db import Error, connections

from engine import api
from engine.errors import PlacetError
from engine.models import Proposal, Run
from oversight.demo.cast import ROSA, TOMAS
from oversight.demo.scenarios.world import World
from oversight.models import Person

AMOUNT = "1.00"
_AT_ONCE = 50
_LOOK_SECONDS = 0.2


class Crowd:
    """Runs of the graph `refund`, each with an order of its own."""

    def __init__(self, world: World, count: int) -> None:
        self._world = world
        rosa = Person.objects.get(username=ROSA.name)
        self._rosa = api.Reviewer(person_id=rosa.pk, name=str(rosa))
        owner = Person.objects.get(username=TOMAS.name).pk
        self._initiator = api.Initiator(actor="agent:refund-desk", person_id=owner)
        self.orders = dict(self._another() for _ in range(count))
        world.set_desk(f"{count}.00")

    def _another(self) -> tuple[uuid.UUID, str]:
        purchase = self._world.new_order()
        state = {"order": purchase.order, "customer": purchase.customer, "amount": AMOUNT}
        return api.start_run("refund", state, initiator=self._initiator), purchase.order

    def approve_until(self, enough: Event) -> None:
        """Approve whatever opens, on this thread's own connection."""
        while not enough.wait(_LOOK_SECONDS):
            self._approve_some()
        connections.close_all()

    def _approve_some(self) -> None:
        """What cannot be said now is said the next time."""
        try:
            for proposal in Proposal.objects.filter(status="open")[:_AT_ONCE]:
                self._approve(proposal)
        except (PlacetError, Error):
            connections.close_all()

    def _approve(self, proposal: Proposal) -> None:
        api.decide(
            proposal.run_id,
            proposal.id,
            reviewer=self._rosa,
            proposal_id=proposal.proposal_id,
            version=proposal.version,
            digest=proposal.digest,
            decision="approve",
            reason="The claim and the order agree.",
        )

    def ended(self) -> int | None:
        """How many have ended; None while the database cannot be asked."""
        try:
            return Run.objects.filter(pk__in=self.orders).exclude(ended_at=None).count()
        except Error:
            connections.close_all()
            return None

    def stranded(self) -> Counter[str]:
        """Those that have not ended, by status."""
        left = Run.objects.filter(pk__in=self.orders, ended_at=None)
        return Counter(left.values_list("status", flat=True))

    def movements(self) -> list[int]:
        """For each run, how often its money moved."""
        return [self._world.movements(order) for order in self.orders.values()]
