"""An agent at the API: sends what it is told to, right or wrong."""

import json
import uuid
from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.test import Client

from oversight.agents_api.keys import issue_key
from oversight.models import Agent
from tests.world import Database

RUNS = "/api/v1/runs"
REFUND = {"order": "A-1", "customer": "Mara Vogel", "amount": "25.00"}
PROPOSAL = {
    "action": "ledger.refund",
    "arguments": REFUND,
    "why": "The lamp arrived broken.",
    "evidence": [{"photographs": 2}],
    "tool_call_id": "call_7",
}
COUNTED = (
    "engine_run",
    "engine_event",
    "engine_checkpoint",
    "engine_proposal",
    "engine_effect",
    "engine_decision",
    "engine_alert",
    "oversight_idempotentrequest",
    "oversight_agent",
    "oversight_apikey",
    "django_session",
)


def issued(agent: Agent, *scopes: str, valid_for: timedelta = timedelta(hours=1)) -> "Caller":
    """Somebody with a new key of this agent."""
    return Caller(issue_key(agent, scopes, valid_for))


class Rows:
    """How many rows each table has, that a request could have written."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self) -> dict[str, int]:
        counts = (f"SELECT '{name}' AS name, count(*) AS n FROM {name}" for name in COUNTED)  # noqa: S608
        return {row["name"]: row["n"] for row in self._database.rows(" UNION ALL ".join(counts))}


class Caller:
    """One key, and the requests that are made with it."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.client = Client(raise_request_exception=False)

    @property
    def authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def get(self, path: str) -> HttpResponse:
        return self.client.get(path, headers=self.authorization)

    def post(
        self, path: str, body: Any, *, once: str | None = None, **headers: str | None
    ) -> HttpResponse:
        """Send `body`, as JSON unless it is bytes; a header given as None is left out."""
        sent = {
            **self.authorization,
            "Idempotency-Key": once or str(uuid.uuid4()),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return self.client.post(
            path,
            body if isinstance(body, bytes) else json.dumps(body),
            content_type="application/json",
            headers={name: value for name, value in sent.items() if value is not None},
        )

    def start_run(self, workflow: str = "agent", **more: Any) -> uuid.UUID:
        answer = self.post(RUNS, {"workflow": workflow, **more})
        assert answer.status_code == 201, answer.content
        return uuid.UUID(answer.json()["run_id"])

    def propose(self, run_id: uuid.UUID, **changed: Any) -> uuid.UUID:
        answer = self.post(f"{RUNS}/{run_id}/proposals", {**PROPOSAL, **changed})
        assert answer.status_code == 202, answer.content
        return uuid.UUID(answer.json()["proposal_id"])

    def run(self, run_id: uuid.UUID) -> dict[str, Any]:
        return self._told(self.get(f"{RUNS}/{run_id}"))

    def proposal(self, run_id: uuid.UUID, proposal_id: uuid.UUID) -> dict[str, Any]:
        return self._told(self.get(f"{RUNS}/{run_id}/proposals/{proposal_id}"))

    def _told(self, answer: HttpResponse) -> dict[str, Any]:
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found


def problem(answer: HttpResponse, status: int, code: str, path: str | None = None) -> str:
    """Insist that this is such a problem; gives its detail."""
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == status
    assert document["code"] == code
    assert document["type"] == f"/api/problems/{code}"
    assert document.get("path") == path
    assert document["title"]
    return str(document["detail"])
