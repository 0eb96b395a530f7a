"""The outside tells what has happened; runs that wait for it go on."""

import uuid
from typing import Any

import pytest
from django.http import HttpResponse

from engine.models import InboundEvent
from oversight.models import Agent
from tests.agents_api.caller import Caller, Rows, issued, problem
from tests.world import Desk

EVENTS = "/api/v1/events"
RETURNED = {
    "name": "goods_returned",
    "key": "A-1",
    "external_id": "parcel-1",
    "payload": {"parcels": 1},
}


def outcome(answer: HttpResponse) -> str:
    assert answer.status_code == 200, answer.content
    return str(answer.json()["outcome"])


@pytest.fixture
def warehouse(other_agent: Agent) -> Caller:
    """May tell of goods that were returned, and do nothing else."""
    return issued(other_agent, "event:goods_returned")


@pytest.fixture
def waiting(desk: Desk) -> uuid.UUID:
    """Another agent's run, which waits for the goods of its order."""
    order = desk.purchase()
    run_id = desk.start_run("refund_on_return", order=order, customer="Mara Vogel", amount="25.00")
    desk.work(run_id)
    return run_id


class TestAnEvent:
    def test_comes_to_the_run_that_waits_for_it_which_is_not_told_to_who_sent_it(
        self, warehouse: Caller, waiting: uuid.UUID, desk: Desk
    ) -> None:
        answer = warehouse.post(EVENTS, RETURNED)
        assert answer.json() == {
            "name": "goods_returned",
            "external_id": "parcel-1",
            "outcome": "delivered",
        }
        assert desk.database.hints[-1] == waiting

        desk.work(waiting)
        proposal = desk.proposal(waiting)
        assert proposal.evidence == [{"parcels": 1}]
        desk.approve(proposal)
        desk.work(waiting)

        assert desk.run(waiting).status == "completed"
        assert desk.ledger.movements("A-1") == 1

    def test_is_kept_until_a_run_waits_for_it(self, warehouse: Caller, desk: Desk) -> None:
        assert outcome(warehouse.post(EVENTS, RETURNED)) == "kept"

        run_id = desk.start_run(
            "refund_on_return", order=desk.purchase(), customer="Mara Vogel", amount="25.00"
        )
        desk.work(run_id)

        assert desk.run(run_id).status == "waiting_approval"

    def test_of_the_same_id_counts_once(
        self, warehouse: Caller, waiting: uuid.UUID, desk: Desk
    ) -> None:
        assert outcome(warehouse.post(EVENTS, RETURNED)) == "delivered"

        assert outcome(warehouse.post(EVENTS, RETURNED)) == "duplicate_ignored"

        assert desk.database.kinds(waiting).count("event_received") == 1

    def test_sent_again_with_its_idempotency_key_is_answered_as_the_first_time(
        self, warehouse: Caller, waiting: uuid.UUID
    ) -> None:
        first = warehouse.post(EVENTS, RETURNED, once="parcel-1")

        again = warehouse.post(EVENTS, RETURNED, once="parcel-1")

        assert outcome(again) == outcome(first) == "delivered"
        assert again.headers["Idempotency-Replayed"] == "true"

    def test_may_carry_nothing(self, warehouse: Caller) -> None:
        bare = {name: value for name, value in RETURNED.items() if name != "payload"}

        assert outcome(warehouse.post(EVENTS, bare)) == "kept"

        assert InboundEvent.objects.get().payload == "null"


class TestIsRefused:
    def test_what_is_not_among_the_key_s_scopes(self, warehouse: Caller, rows: Rows) -> None:
        before = rows.count()
        problem(warehouse.post(EVENTS, {**RETURNED, "name": "payment"}), 403, "scope_missing")
        problem(warehouse.post("/api/v1/runs", {"workflow": "agent"}), 403, "scope_missing")
        assert rows.count() == before

    def test_a_key_for_workflows_and_actions(self, agent: Agent) -> None:
        desk = issued(agent, "workflow:*", "action:*")

        problem(desk.post(EVENTS, RETURNED), 403, "scope_missing")

    def test_nobody_s_event(self, warehouse: Caller) -> None:
        warehouse.key = "plc_0_0"

        problem(warehouse.post(EVENTS, RETURNED), 401, "unauthenticated")

    @pytest.mark.parametrize(
        ("changed", "path"),
        [
            ({"name": "two words"}, "$.name"),
            ({"name": ""}, "$.name"),
            ({"key": ""}, "$.key"),
            ({"key": 1042}, "$.key"),
            ({"key": "x" * 201}, "$.key"),
            ({"external_id": ""}, "$.external_id"),
            ({"payload": {"n": 2**60}}, "$.payload.n"),
            ({"run_id": str(uuid.UUID(int=7))}, "$.run_id"),
            ({"status": "approved"}, "$.status"),
        ],
        ids=repr,
    )
    def test_what_breaks_a_rule(
        self, changed: dict[str, Any], path: str, warehouse: Caller, rows: Rows
    ) -> None:
        before = rows.count()

        problem(warehouse.post(EVENTS, {**RETURNED, **changed}), 422, "bad_input", path)

        assert rows.count() == before
        assert not InboundEvent.objects.exists()

    def test_one_without_an_idempotency_key(self, warehouse: Caller) -> None:
        answer = warehouse.post(EVENTS, RETURNED, Idempotency_Key=None)

        problem(answer, 400, "idempotency_key_missing", "header.Idempotency-Key")
