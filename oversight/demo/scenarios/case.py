"""One refund: what its agent and its reviewer do, and what is read of it afterwards.

The agent's and the reviewer's part go through `engine.api`, as the pages and the agents' API do.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine import api, auditing
from engine.models import Alert, Effect, Event, Proposal, Run
from oversight.demo.cast import ROSA, TOMAS
from oversight.demo.desk.stock import Purchase
from oversight.embedded.waiting import until
from oversight.models import Person

AMOUNT = "120.00"
_AGENT = "agent:refund-desk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The run that is to refund AMOUNT for one purchase."""

    run_id: uuid.UUID
    purchase: Purchase

    def opened(self, version: int = 1) -> Proposal:
        """Wait until this version of the proposal lies before the reviewers, and the run waits."""
        until(
            lambda: Proposal.objects.filter(run_id=self.run_id, version=version, status="open"),
            f"version {version} of the proposal",
        )
        self.reached("waiting_approval")
        return Proposal.objects.get(run_id=self.run_id, version=version)

    def approved(self) -> "Case":
        """Rosa approves exactly what lies before her."""
        proposal = self.opened()
        rosa = Person.objects.get(username=ROSA.name)
        api.decide(
            self.run_id,
            proposal.id,
            reviewer=api.Reviewer(person_id=rosa.pk, name=str(rosa)),
            proposal_id=proposal.proposal_id,
            version=proposal.version,
            digest=proposal.digest,
            decision="approve",
            reason="The claim and the order agree.",
        )
        return self

    def finished(self) -> "Case":
        """The agent has nothing more to ask for."""
        api.finish_run(self.run_id, agent=_AGENT)
        return self

    def reached(self, status: str) -> Run:
        """Wait until the run has this status. Raises TimeoutError, which says what it has."""
        try:
            until(lambda: Run.objects.filter(run_id=self.run_id, status=status), f"run {status}")
        except TimeoutError as late:
            run = self.run()
            raise TimeoutError(f"{late}; it is {run.status} ({run.reason_code})") from late
        return self.run()

    def run(self) -> Run:
        return Run.objects.get(run_id=self.run_id)

    def effect(self) -> Effect:
        """The newest forward effect."""
        effects = Effect.objects.filter(run_id=self.run_id, compensates=None)
        return effects.latest("updated_at")

    def proposal(self, version: int) -> Proposal:
        return Proposal.objects.get(run_id=self.run_id, version=version)

    def open_alerts(self) -> int:
        return Alert.objects.filter(run_id=self.run_id, status="open").count()

    def facts(self, kind: str) -> list[Mapping[str, Any]]:
        """The payloads of all events of a kind, the oldest first."""
        events = Event.objects.filter(run_id=self.run_id, kind=kind).order_by("seq")
        return [json.loads(bytes(event.payload or b"{}")) for event in events]

    def last_worker(self) -> int:
        """The process id of the last worker that claimed the run."""
        return int(self.facts("run_claimed")[-1]["owner"].rpartition(":")[2])

    def log_verifies(self) -> bool:
        """Whether every event's hash, re-computed here, is the one that was stored."""
        return auditing.run_once(self.run_id).intact


def started(purchase: Purchase) -> Case:
    """A run of the graph `refund`, which asks for the refund by itself and then ends."""
    state = {"order": purchase.order, "customer": purchase.customer, "amount": AMOUNT}
    claim = {"claim": "The bookcase arrived with a split side panel; photograph attached."}
    return Case(
        run_id=api.start_run("refund", {**state, **claim}, initiator=_initiator()),
        purchase=purchase,
    )


def asked(purchase: Purchase) -> Case:
    """A run that an agent drives: it asks for the refund and says itself when it is done."""
    case = Case(run_id=api.start_run("agent", initiator=_initiator()), purchase=purchase)
    api.request_effect(
        case.run_id,
        agent=_AGENT,
        action="ledger.refund",
        arguments={
            "order": purchase.order,
            "customer": purchase.customer,
            "amount": AMOUNT,
            "refunded_so_far": "0.00",
        },
        why="The bookcase arrived with a split side panel; the customer sent a photograph.",
    )
    return case


def _initiator() -> api.Initiator:
    return api.Initiator(actor=_AGENT, person_id=Person.objects.get(username=TOMAS.name).pk)
