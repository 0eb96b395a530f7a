"""An agent that proposes what the kit can do, and the people and workers around it."""

import json
import uuid
from typing import Any

from engine import actions, api, worker
from engine.models import Alert, Effect, Evidence, Proposal, Run
from engine.types import Advanced
from tests.cast import AGENT, People, reviewer
from tests.world import Database


class Office:
    """Tomas's agent proposes, Rosa decides, a worker in this process carries out."""

    def __init__(self, database: Database, people: People) -> None:
        self.database, self.people = database, people

    def propose(self, action: str, **arguments: Any) -> Proposal:
        run_id = api.start_run("agent", {}, initiator=self.people.agent)
        for_good = actions.get(action).rollback.kind == "none"
        api.request_effect(
            run_id,
            agent=AGENT,
            action=action,
            arguments=arguments,
            why="It was asked for.",
            rollback_reason="There is no other way." if for_good else None,
        )
        self.work(run_id)
        return Proposal.objects.filter(run_id=run_id).latest("opened_at")

    def approve(self, proposal: Proposal) -> uuid.UUID:
        api.decide(
            proposal.run_id,
            proposal.pk,
            reviewer=reviewer(self.people.rosa),
            proposal_id=proposal.proposal_id,
            version=proposal.version,
            digest=proposal.digest,
            decision="approve",
            reason="As it should be.",
            challenge=self.terms(proposal)["challenge"],
        )
        return proposal.run_id

    def carry_out(self, action: str, **arguments: Any) -> uuid.UUID:
        """Proposed, approved, and worked on until the run waits."""
        run_id = self.approve(self.propose(action, **arguments))
        self.work(run_id)
        return run_id

    def work(self, run_id: uuid.UUID) -> Advanced:
        return worker.run_once(run_id)

    def work_later(self, run_id: uuid.UUID) -> Advanced:
        """A worker comes by after whatever the run waits for is due, and no call can arrive."""
        self.database.call_is_over_for(run_id)
        self.database.time_passes_for(run_id)
        return worker.run_once(run_id)

    def run(self, run_id: uuid.UUID) -> Run:
        return Run.objects.get(pk=run_id)

    def effect(self, run_id: uuid.UUID) -> Effect:
        """The forward effect of a run of one effect."""
        return Effect.objects.get(run_id=run_id, compensates=None)

    def alerts(self, run_id: uuid.UUID) -> list[str]:
        return sorted(alert.kind for alert in Alert.objects.filter(run_id=run_id))

    def terms(self, proposal: Proposal) -> dict[str, Any]:
        return dict(json.loads(bytes(proposal.terms)))

    def everything_kept(self, run_id: uuid.UUID) -> str:
        """All that the database holds of this run and of any evidence, as one text."""
        rows = self.database.log(run_id)
        rows += self.database.rows("SELECT * FROM engine_effect WHERE run_id = %s", run_id)
        rows += self.database.rows("SELECT * FROM engine_alert WHERE run_id = %s", run_id)
        rows += self.database.rows("SELECT * FROM engine_checkpoint WHERE run_id = %s", run_id)
        bodies = [bytes(row.body) for row in Evidence.objects.all()]
        return "\n".join(_text(value) for row in rows for value in row.values()) + "\n".join(
            _text(body) for body in bodies
        )


def _text(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("utf-8", "replace")
    return str(value)
