"""Three refunds by one run: its agent asks for all of them, Rosa approves one after the other.

The third builds on the first: it is for the same order, so only one order of doing is right, and
only the reverse order takes it all back.
"""

import uuid
from dataclasses import dataclass

from engine import api
from engine.models import Proposal, Run
from oversight.demo.cast import OTTO, ROSA, TOMAS, Part
from oversight.demo.scenarios.world import World
from oversight.embedded.waiting import until
from oversight.models import Person

EFFECTS = 3
_AGENT = "agent:refund-desk"
_LONG = 90.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One refund; amounts are decimal text."""

    order: str
    customer: str
    amount: str
    refunded_so_far: str = "0.00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The run that is to pay what is wanted."""

    run_id: uuid.UUID
    wanted: tuple[Wanted, ...]

    def approve(self, number: int) -> None:
        """Wait until the request of this number lies before the reviewers, and approve it."""
        proposal = until(lambda: self._open(number), f"request {number} to be opened", _LONG)
        api.decide(
            self.run_id,
            proposal.id,
            reviewer=_as_reviewer(ROSA),
            proposal_id=proposal.proposal_id,
            version=proposal.version,
            digest=proposal.digest,
            decision="approve",
            reason="The claim and the order agree.",
        )

    def roll_back(self) -> uuid.UUID:
        """Otto has it taken back; gives the run that does it."""
        reason = "The customer has sent the claim twice."
        return api.roll_back(self.run_id, operator=_as_reviewer(OTTO), reason=reason)

    def _open(self, number: int) -> Proposal | None:
        wanted = {"tool_call_id": _call(number), "status": "open"}
        return Proposal.objects.filter(run_id=self.run_id, **wanted).first()


def filed(world: World) -> Claim:
    """A new run, on orders of its own, whose agent has said all that it wants."""
    one, other = world.new_order(), world.new_order()
    wanted = (
        Wanted(order=one.order, customer=one.customer, amount="40.00"),
        Wanted(order=other.order, customer=other.customer, amount="25.00"),
        Wanted(order=one.order, customer=one.customer, amount="15.50", refunded_so_far="40.00"),
    )
    owner = Person.objects.get(username=TOMAS.name).pk
    initiator = api.Initiator(actor=_AGENT, person_id=owner)
    claim = Claim(run_id=api.start_run("agent", initiator=initiator), wanted=wanted)
    for number, refund in enumerate(wanted, 1):
        _ask(claim.run_id, number, refund)
    api.finish_run(claim.run_id, agent=_AGENT)
    return claim


def ended(run_id: uuid.UUID) -> Run:
    """Wait for the run's end. Raises TimeoutError, which says where it stands."""
    try:
        return until(lambda: Run.objects.filter(pk=run_id).exclude(ended_at=None).first(),
                     "the run's end", _LONG)  # fmt: skip
    except TimeoutError as late:
        run = Run.objects.get(pk=run_id)
        raise TimeoutError(f"{late}; it is {run.status} ({run.reason_code})") from late


def _ask(run_id: uuid.UUID, number: int, refund: Wanted) -> None:
    api.request_effect(
        run_id,
        agent=_AGENT,
        action="ledger.refund",
        arguments={
            "order": refund.order,
            "customer": refund.customer,
            "amount": refund.amount,
            "refunded_so_far": refund.refunded_so_far,
        },
        why="It arrived with a split side panel; the customer sent a photograph.",
        tool_call_id=_call(number),
    )


def _call(number: int) -> str:
    return f"call_{number}"


def _as_reviewer(part: Part) -> api.Reviewer:
    person = Person.objects.get(username=part.name)
    return api.Reviewer(person_id=person.pk, name=str(person))
