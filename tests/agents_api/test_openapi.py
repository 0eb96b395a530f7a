"""The description is true: what is answered fits it, and every operation is described whole."""

import json
import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver
from pydantic import TypeAdapter

from engine import worker
from engine.models import Proposal
from oversight.agents_api import asked, catalogue, examples, openapi, told
from tests.agents_api.caller import PROPOSAL, REFUND, RUNS, Caller
from tests.world import Database, Desk

TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
BODIES = {
    "start_run": asked.StartRun,
    "propose": asked.Propose,
    "answer": asked.Answer,
    "withdraw": asked.Withdraw,
    "finish": asked.Finish,
    "deliver_event": asked.Deliver,
}
ANSWERS = {
    "start_run": told.RunAccepted,
    "list_runs": told.Runs,
    "see_run": told.Run,
    "propose": told.Requested,
    "see_proposal": told.Proposal,
    "answer": told.Requested,
    "withdraw": told.Withdrawn,
    "finish": told.FinishRequested,
    "deliver_event": told.Delivery,
    "see_events": told.Events,
}


@pytest.fixture
def schema(database: Database) -> dict[str, Any]:
    """As it is sent to whoever asks, without a key and without a session."""
    answer = Client().get("/api/v1/openapi.json")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    found: dict[str, Any] = answer.json()
    return found


def by_name(schema: dict[str, Any]) -> dict[str, Any]:
    return {found["operationId"]: found for _, _, found in openapi.operations(schema)}


def is_a(value: Any, kind: str) -> bool:
    return isinstance(value, TYPES[kind]) and not (kind == "integer" and value is True)


def fits(value: Any, schema: dict[str, Any], whole: dict[str, Any]) -> bool:
    """Does `value` fit a schema of the few kinds that the description uses?"""
    if reference := schema.get("$ref"):
        schema = whole["components"]["schemas"][reference.rpartition("/")[2]]
    if "anyOf" in schema:
        return any(fits(value, one, whole) for one in schema["anyOf"])
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "const" in schema and value != schema["const"]:
        return False
    kind = schema.get("type")
    if kind and not any(is_a(value, one) for one in ([kind] if isinstance(kind, str) else kind)):
        return False
    if kind == "array":
        return all(fits(one, schema["items"], whole) for one in value)
    properties = schema.get("properties", {})
    missing = set(schema.get("required", ())) - set(value) if kind == "object" else set()
    strangers = set(value) - set(properties) if properties else set()
    if missing or strangers:
        return False
    return all(fits(value[name], one, whole) for name, one in properties.items() if name in value)


def test_every_route_is_described(schema: dict[str, Any]) -> None:
    described = set(schema["paths"])
    routes = set()
    for pattern in get_resolver("oversight.agents_api.urls").url_patterns:
        if str(pattern.pattern) == "v1/":
            for route in pattern.url_patterns:
                plain = re.sub(r"<[^:>]+:([^>]+)>", r"{\1}", str(route.pattern))
                routes.add(f"/api/v1/{plain}")
    assert routes == described
    assert set(by_name(schema)) == set(catalogue.OF_OPERATION) == set(examples.TOLD)


def test_every_operation_needs_a_key_and_tells_its_problems(schema: dict[str, Any]) -> None:
    assert schema["components"]["securitySchemes"]["AgentKey"]["scheme"] == "bearer"
    for operation in by_name(schema).values():
        assert operation["security"] == [{"AgentKey": []}]
        for status in ("401", "500", "503"):
            (media_type,) = operation["responses"][status]["content"]
            assert media_type == "application/problem+json"


def test_every_post_needs_an_idempotency_key(schema: dict[str, Any]) -> None:
    for method, _, operation in openapi.operations(schema):
        headers = [one["name"] for one in operation["parameters"] if one["in"] == "header"]
        assert headers == (["Idempotency-Key"] if method == "POST" else [])
        assert ("requestBody" in operation) is (method == "POST")
        assert ("409" in operation["responses"]) is (method == "POST")


def test_what_says_all_by_its_address_may_come_without_a_body(schema: dict[str, Any]) -> None:
    required = {
        name: operation["requestBody"]["required"]
        for name, operation in by_name(schema).items()
        if "requestBody" in operation
    }
    assert required == {
        "start_run": True,
        "propose": True,
        "answer": True,
        "withdraw": False,
        "finish": False,
        "deliver_event": True,
    }


def test_every_reference_leads_somewhere(schema: dict[str, Any]) -> None:
    text = json.dumps(schema)
    for name in re.findall(r'"\$ref": "([^"]+)"', text):
        assert name.startswith("#/components/schemas/")
        assert name.rpartition("/")[2] in schema["components"]["schemas"]


def test_nothing_unknown_may_be_sent(schema: dict[str, Any]) -> None:
    for kind in BODIES.values():
        assert schema["components"]["schemas"][kind.__name__]["additionalProperties"] is False


def test_the_examples_are_right(schema: dict[str, Any]) -> None:
    for name, kind in BODIES.items():
        assert kind.model_validate(examples.ASKED[name])
    for name, answer in ANSWERS.items():
        assert TypeAdapter(answer).validate_python(examples.TOLD[name])
        operation = by_name(schema)[name]
        content = next(iter(operation["responses"].values()))["content"]["application/json"]
        assert fits(content["example"], content["schema"], schema)


def fitting(schema: dict[str, Any]) -> Callable[[str, Any], Any]:
    """Insist that an operation may answer so, and give what it answered."""
    found = by_name(schema)

    def must_fit(name: str, answer: Any) -> Any:
        response = found[name]["responses"][str(answer.status_code)]
        content = response["content"][answer.headers["Content-Type"]]
        assert fits(answer.json(), content["schema"], schema), answer.content
        return answer.json()

    return must_fit


def test_what_is_asked_again_after_a_rejection_is_refused_or_heard_as_described(
    desk: Desk, caller: Caller, schema: dict[str, Any]
) -> None:
    """In a run whose start and whose requests say all that may be said."""
    must_fit = fitting(schema)
    limits = {"max_steps": 50, "max_effects": 5, "max_tokens": 10**6, "max_seconds": 600}
    started = {
        "workflow": "agent",
        "state": {"case": "CS-311"},
        "labels": {"case": "CS-311"},
        "stands_on": {"model": "m-2026-05"},
        "budget": {**limits, "max_money": "3.50"},
    }
    run_id = uuid.UUID(must_fit("start_run", caller.post(RUNS, started))["run_id"])
    address = f"{RUNS}/{run_id}/proposals"
    body = {
        **PROPOSAL,
        "arguments": {**REFUND, "order": desk.purchase()},
        "action_version": 1,
        "valid_seconds": 900,
        "spent": {"tokens": 1200, "money": "0.02"},
    }
    first = must_fit("propose", caller.post(address, body))["proposal_id"]
    desk.work(run_id)
    desk.decide(Proposal.objects.get(), "reject", reason_code="not_needed")
    desk.work(run_id)
    assert must_fit("see_proposal", caller.get(f"{address}/{first}"))["status"] == "rejected"

    refused = must_fit("propose", caller.post(address, body))
    assert (refused["code"], refused["rejected"]["proposal_id"]) == ("rejected_before", first)
    assert refused["rejected"]["reason_code"] == "not_needed"
    for missing in ({"despite": first}, {"what_changed": "They agreed."}):
        assert must_fit("propose", caller.post(address, {**body, **missing}))["status"] == 422
    said = {"despite": first, "what_changed": "The owner agreed by telephone."}
    second = must_fit("propose", caller.post(address, {**body, **said}))["proposal_id"]
    desk.work(run_id)

    desk.decide(desk.proposal(run_id), "return", question="Which owner?")
    desk.work(run_id)
    asked = must_fit("see_proposal", caller.get(f"{address}/{second}"))
    assert asked["question"] == "Which owner?"
    kept = {name: body[name] for name in body if name not in ("tool_call_id", "spent")}
    answer = {**kept, **said, "version": asked["version"], "why": "Ines Costa."}
    answered = must_fit("answer", caller.post(f"{address}/{second}/answers", answer))
    assert answered["version"] == 2
    desk.work(run_id)
    assert must_fit("see_proposal", caller.get(f"{address}/{second}"))["status"] == "open"
    assert must_fit("see_run", caller.get(f"{RUNS}/{run_id}"))["stands_on"] == started["stands_on"]


def test_what_is_really_answered_fits(desk: Desk, caller: Caller, schema: dict[str, Any]) -> None:
    """Every operation's answer, and every problem on the way, is of the described shape."""
    must_fit = fitting(schema)
    started = caller.post(RUNS, {"workflow": "agent"})
    run_id = uuid.UUID(must_fit("start_run", started)["run_id"])
    run = f"{RUNS}/{run_id}"
    body = {**PROPOSAL, "arguments": {**REFUND, "order": desk.purchase()}}
    proposal_id = must_fit("propose", caller.post(f"{run}/proposals", body))["proposal_id"]
    proposal = f"{run}/proposals/{proposal_id}"
    must_fit("see_proposal", caller.get(proposal))

    worker.run_once(run_id)
    must_fit("see_proposal", caller.get(proposal))
    desk.decide(Proposal.objects.get(), "return", question="Which lamp?")
    worker.run_once(run_id)
    answer = {name: value for name, value in body.items() if name != "tool_call_id"}
    must_fit("answer", caller.post(f"{proposal}/answers", {**answer, "version": 1}))
    worker.run_once(run_id)
    desk.approve(Proposal.objects.get(version=2))
    worker.run_once(run_id)
    assert must_fit("see_proposal", caller.get(proposal))["effect"]["committed_at"]
    assert must_fit("see_run", caller.get(run))["effects"]
    assert must_fit("list_runs", caller.get(RUNS))["runs"]
    must_fit("finish", caller.post(f"{run}/finish", {}))
    assert must_fit("see_events", caller.get(f"{run}/events?limit=500"))["events"]

    told_of = {"name": "goods_returned", "key": "A-1", "external_id": "1"}
    assert must_fit("deliver_event", caller.post("/api/v1/events", told_of))["outcome"] == "kept"

    must_fit("propose", caller.post(f"{run}/proposals", {}))
    must_fit("propose", caller.post(f"{run}/proposals", b"{"))
    must_fit("see_run", caller.get(f"{RUNS}/{uuid.uuid4()}"))
    must_fit("see_events", caller.get(f"{run}/events?limit=0"))
    must_fit("list_runs", caller.get(f"{RUNS}?status=done"))
    caller.key = "plc_0_0"
    must_fit("see_run", caller.get(run))


def test_the_measure_itself_measures(schema: dict[str, Any]) -> None:
    run = {"$ref": "#/components/schemas/RunAccepted"}
    right = examples.TOLD["start_run"]
    assert fits(right, run, schema)
    assert not fits({**right, "status": "done"}, run, schema)
    assert not fits({**right, "workflow_version": "1"}, run, schema)
    assert not fits({**right, "more": 1}, run, schema)
    assert not fits({name: right[name] for name in right if name != "run_id"}, run, schema)
