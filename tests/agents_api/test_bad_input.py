"""Bad input is refused with a problem that names the place, and nothing at all is written."""

import json
import uuid
from typing import Any

import pytest
from django.http import HttpResponse

from engine.canonical import MAX_BODY
from tests.agents_api.caller import PROPOSAL, REFUND, RUNS, Caller, Rows, problem


@pytest.fixture
def proposals(caller: Caller) -> str:
    """Where the refund desk proposes, in a run of its own."""
    return f"{RUNS}/{caller.start_run()}/proposals"


def refused(rows: Rows, send: Any, *expected: Any, noted: int = 0) -> str:
    """What `send` does is such a problem, and no row is there that was not there before, but for
    the events by which an attempt is noted."""
    before = rows.count()
    answer: HttpResponse = send()
    assert rows.count() == {**before, "engine_event": before["engine_event"] + noted}
    return problem(answer, *expected)


RUN_BODIES = [
    ({}, "$.workflow"),
    ({"workflow": "nonesuch"}, "$.workflow"),
    ({"workflow": ""}, "$.workflow"),
    ({"workflow": 7}, "$.workflow"),
    ({"workflow": None}, "$.workflow"),
    ({"workflow": "agent", "state": "approved"}, "$.state"),
    ({"workflow": "agent", "state": [1]}, "$.state"),
    ({"workflow": "agent", "status": "completed"}, "$.status"),
    ({"workflow": "agent", "labels": {"case": 7}}, "$.labels.case"),
    ({"workflow": "agent", "state": {"amount": 2**53}}, "$.state.amount"),
    ({"workflow": "agent", "state": {"a": {"b\u0000": 1}}}, "$.state.a"),
    ({"workflow": "agent", "state": {"a": ["x\u0000"]}}, "$.state.a[0]"),
    ([], "$"),
    ("agent", "$"),
    (None, "$"),
]


def test_a_run_that_cannot_be_started(
    caller: Caller, rows: Rows, subtests: pytest.Subtests
) -> None:
    for body, path in RUN_BODIES:
        with subtests.test(body=body):
            refused(rows, lambda sent=body: caller.post(RUNS, sent), 422, "bad_input", path)


PROPOSAL_CHANGES = [
    ({"action": "ledger.nonesuch"}, "$.action"),
    ({"action": ["ledger.refund"]}, "$.action"),
    ({"action_version": 99}, "$.action_version"),
    ({"action_version": 0}, "$.action_version"),
    ({"action_version": 1.5}, "$.action_version"),
    ({"action_version": "1"}, "$.action_version"),
    ({"action_version": True}, "$.action_version"),
    ({"arguments": {**REFUND, "amount": 25}}, "$.arguments.amount"),
    ({"arguments": {**REFUND, "amount": "25"}}, "$.arguments.amount"),
    ({"arguments": {**REFUND, "amount": "-1.00"}}, "$.arguments.amount"),
    ({"arguments": {**REFUND, "currency": "EUR"}}, "$.arguments.currency"),
    ({"arguments": {"order": "A-1", "amount": "25.00"}}, "$.arguments.customer"),
    ({"arguments": "A-1"}, "$.arguments"),
    ({"valid_seconds": 0}, "$.valid_seconds"),
    ({"valid_seconds": "60"}, "$.valid_seconds"),
    ({"rollback_reason": 7}, "$.rollback_reason"),
    ({"why": ""}, "$.why"),
    ({"why": "  \n"}, "$.why"),
    ({"why": None}, "$.why"),
    ({"evidence": "a photograph"}, "$.evidence"),
    ({"evidence": [1] * 101}, "$.evidence"),
    ({"tool_call_id": 7}, "$.tool_call_id"),
    ({"tool_call_id": "x" * 256}, "$.tool_call_id"),
]


def test_a_proposal_that_breaks_the_schema(
    caller: Caller, rows: Rows, proposals: str, subtests: pytest.Subtests
) -> None:
    for changed, path in PROPOSAL_CHANGES:
        with subtests.test(changed=changed):
            body = {**PROPOSAL, **changed}
            refused(rows, lambda sent=body: caller.post(proposals, sent), 422, "bad_input", path)


FORGED = [
    ("state", "approved"),
    ("status", "approved"),
    ("approval", {"person": 1, "decision": "approve"}),
    ("decision", "approve"),
    ("digest", "0" * 64),
    ("idempotency_key", "0" * 64),
    ("proposal_id", str(uuid.uuid4())),
]


def test_an_agent_cannot_bring_its_own_approval(
    caller: Caller, rows: Rows, proposals: str, subtests: pytest.Subtests
) -> None:
    for field, value in FORGED:
        with subtests.test(field=field):
            body = {**PROPOSAL, field: value}
            refused(
                rows,
                lambda sent=body: caller.post(proposals, sent),
                422,
                "bad_input",
                f"$.{field}",
                noted=1,
            )


def test_every_field_that_must_be_there_is_asked_for(
    caller: Caller, rows: Rows, proposals: str
) -> None:
    for field in ("action", "arguments", "why"):
        body = {name: value for name, value in PROPOSAL.items() if name != field}
        refused(
            rows, lambda sent=body: caller.post(proposals, sent), 422, "bad_input", f"$.{field}"
        )


MALFORMED = [
    (b"{", None),
    (b"workflow=agent", None),
    (b'{"workflow": "agent",}', None),
    (b"{'workflow': 'agent'}", None),
    (b'{"workflow": "agent", "state": {"n": NaN}}', None),
    (b'{"workflow": "agent", "state": {"n": -Infinity}}', None),
    (b'{"workflow": "agent\xff"}', None),
    ('{"workflow": "agent"}'.encode("utf-16"), None),
    (b'{"workflow": "agent", "workflow": "refund"}', "$..workflow"),
    (b'{"workflow": "agent", "state": {"a": {"b": 1, "b": 2}}}', "$..b"),
]


def test_c55_json_that_two_parsers_could_read_differently(
    caller: Caller, rows: Rows, subtests: pytest.Subtests
) -> None:
    for body, path in MALFORMED:
        with subtests.test(body=body):
            refused(rows, lambda sent=body: caller.post(RUNS, sent), 400, "malformed", path)


DEEP = "$.state" + ".a" * 32
UNSTORABLE = [
    (b'{"workflow": "agent", "state": {"a": "\\ud800"}}', "$.state.a"),
    (b'{"workflow": "agent", "state": {"a": "\\u0000"}}', "$.state.a"),
    (b'{"workflow": "agent", "state": {"n": 9007199254740993}}', "$.state.n"),
    (b'{"workflow": "agent", "state": {"n": 1e999}}', "$.state.n"),
    (b'{"workflow": "agent", "state": {"n": %s}}' % (b"9" * 5000), "$"),
    (b'{"workflow": "agent", "state": %s}' % (b'{"a":' * 40 + b"1" + b"}" * 40), DEEP),
    (b"[" * 100_000, "$"),
]


def test_json_that_could_not_pass_through_unchanged(
    caller: Caller, rows: Rows, subtests: pytest.Subtests
) -> None:
    for body, path in UNSTORABLE:
        with subtests.test(body=body[:60]):
            refused(rows, lambda sent=body: caller.post(RUNS, sent), 422, "bad_input", path)


def test_too_many_keys(caller: Caller, rows: Rows) -> None:
    state = {f"k{number}": 1 for number in range(1001)}
    body = {"workflow": "agent", "state": state}
    refused(rows, lambda: caller.post(RUNS, body), 422, "bad_input", "$.state")


def test_c60_a_body_just_under_the_limit_is_read_and_one_over_it_is_not(
    caller: Caller, rows: Rows
) -> None:
    def body(size: int) -> bytes:
        start = json.dumps({"workflow": "agent", "state": {"a": ["x" * 60_000] * 4}}).encode()
        return start + b" " * (size - len(start))

    assert caller.post(RUNS, body(MAX_BODY)).status_code == 201
    refused(rows, lambda: caller.post(RUNS, body(MAX_BODY + 1)), 413, "too_large", None)


def test_a_length_that_is_no_number_is_no_fault_of_ours(caller: Caller) -> None:
    for length in ("\u00b2", "nine", ""):
        answer = caller.post(RUNS, {}, **{"Content-Length": length})
        assert answer.status_code < 500


def test_a_body_that_does_not_say_how_long_it_is_is_cut_off(caller: Caller, rows: Rows) -> None:
    announced = {"Content-Length": None}
    body = b" " * (MAX_BODY + 1)
    refused(rows, lambda: caller.post(RUNS, body, **announced), 413, "too_large", None)


NOT_JSON = (
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonp",
    "",
)


def test_only_json_is_read(caller: Caller, rows: Rows, subtests: pytest.Subtests) -> None:
    for media_type in NOT_JSON:

        def send(announced: str = media_type) -> HttpResponse:
            headers = {**caller.authorization, "Idempotency-Key": "k"}
            body = b'{"workflow": "agent"}'
            return caller.client.post(RUNS, body, content_type=announced, headers=headers)

        with subtests.test(media_type=media_type):
            refused(rows, send, 415, "unsupported_media_type", None)


def test_an_address_that_is_none(caller: Caller, rows: Rows) -> None:
    for address in (
        "/api/v1/",
        "/api/v1/nonesuch",
        f"{RUNS}/7",
        f"{RUNS}/{uuid.uuid4()}/nonesuch",
        f"{RUNS}/{uuid.uuid4()}/proposals/7",
    ):
        refused(rows, lambda path=address: caller.get(path), 404, "not_found", None)
        refused(rows, lambda path=address: caller.post(path, {}), 404, "not_found", None)


def test_a_method_that_is_not_answered(caller: Caller, rows: Rows) -> None:
    run = f"{RUNS}/{caller.start_run()}"
    for method, address in (("put", run), ("delete", run), ("patch", RUNS), ("put", RUNS)):
        send = getattr(caller.client, method)
        answer = send(address, headers=caller.authorization)
        problem(answer, 405, "method_not_allowed", None)
        assert answer.headers["Allow"]


UNKNOWN = [
    ("get", "", "status=running&stauts=running", "query.stauts"),
    ("get", "", "limit=1&limit=2", "query.limit"),
    ("get", "/{run}", "wait=1", "query.wait"),
    ("get", "/{run}/events", "afer=1", "query.afer"),
    ("get", "/{run}/events", "run_id=7", "query.run_id"),
    ("post", "", "workflow=agent", "query.workflow"),
    ("post", "/{run}/finish", "force=true", "query.force"),
]


def test_a_parameter_that_is_unknown_or_said_twice(
    caller: Caller, rows: Rows, subtests: pytest.Subtests
) -> None:
    run_id = caller.start_run()
    for method, place, query, path in UNKNOWN:
        address = f"{RUNS}{place.format(run=run_id)}?{query}"
        with subtests.test(address=f"{method} {place}?{query}"):
            if method == "get":
                refused(rows, lambda at=address: caller.get(at), 422, "bad_input", path)
            else:
                body = {} if place else {"workflow": "agent"}
                refused(rows, lambda at=address, b=body: caller.post(at, b), 422, "bad_input", path)


def test_an_answer_that_names_no_version(caller: Caller, rows: Rows, proposals: str) -> None:
    address = f"{proposals}/{uuid.uuid4()}/answers"
    body = {name: value for name, value in PROPOSAL.items() if name != "tool_call_id"}
    refused(rows, lambda: caller.post(address, body), 422, "bad_input", "$.version")
    named = {**body, "version": "1"}
    refused(rows, lambda: caller.post(address, named), 422, "bad_input", "$.version")


def test_finish_takes_nothing(caller: Caller, rows: Rows) -> None:
    address = f"{RUNS}/{caller.start_run()}/finish"
    body = {"status": "completed"}
    refused(rows, lambda: caller.post(address, body), 422, "bad_input", "$.status", noted=1)
