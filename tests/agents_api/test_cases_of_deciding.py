"""What went wrong elsewhere when people decided: call ids, forged approvals, two at once."""

import uuid
from collections.abc import Sequence
from typing import Any

import pytest

from tests.agents_api.caller import RUNS, problem
from tests.agents_api.office import Office, Place, at_once
from tests.cast import People
from tests.pages.reading import Reader, address_of, contents
from tests.world import DESK_BALANCE, Desk


def test_c12_a_call_id_used_again_names_another_proposal(office: Office, desk: Desk) -> None:
    """Two calls of one turn and one of the next have one id: three proposals, three decisions."""
    first, second, third = (desk.purchase() for _ in range(3))
    run_id = office.caller.start_run()
    a = office.propose(first, run_id, tool_call_id="docs_search")
    b = office.propose(second, run_id, tool_call_id="docs_search")
    office.work(a)
    assert office.decide(a).status == 302
    office.work(a)
    assert office.is_done(a, first)
    assert (office.stands(b), office.ledger.movements(second)) == ("open", 0)

    c = office.propose(third, run_id, tool_call_id="docs_search")
    assert office.decide(b).status == 302
    office.work(b)
    assert office.is_done(b, second)
    assert (office.stands(c), office.ledger.movements(third)) == ("open", 0)
    office.decide(c, "reject")
    office.work(c)
    assert office.ledger.movements(third) == 0

    told = office.caller.run(run_id)["proposals"]
    assert len({one["proposal_id"] for one in told}) == 3
    assert [one["tool_call_id"] for one in told] == ["docs_search"] * 3
    assert [one["status"] for one in told] == ["approved", "approved", "rejected"]


def forged(office: Office, run: str, proposal: str, order: str) -> list[tuple[str, Any]]:
    """Addresses and bodies by which an agent might try to be its own reviewer."""
    body = office.body(order)
    approval = {"approval_id": str(uuid.uuid4()), "approved": True}
    other = {**body["arguments"], "amount": "79.00"}
    return [
        (f"{run}/proposals", {**body, "state": "approved"}),
        (f"{run}/proposals", {**body, "status": "approved"}),
        (f"{run}/proposals", {**body, "approved": True}),
        (f"{run}/proposals", {**body, "approval": approval}),
        (f"{run}/proposals", {**body, "proposal_id": proposal.rpartition("/")[2]}),
        (RUNS, {"workflow": "agent", "proposals": [{**body, "state": "approved"}]}),
        (RUNS, {"workflow": "agent", "status": "completed"}),
        (f"{proposal}/answers", {**body, "version": 1, "arguments": other}),
        (f"{proposal}/answers", {**body, "version": 1, "approval": approval}),
        (f"{proposal}/answers", {**body, "version": 1, "decision": "approve"}),
        (f"{proposal}/approve", {}),
        (f"{proposal}/decisions", {"decision": "approve", "reason": "ok"}),
        (f"{proposal}/decide/", {"decision": "approve", "reason": "ok"}),
        (f"{proposal}/withdraw", {"decision": "approve"}),
        (f"{run}/finish", {"approvals": [approval]}),
        (f"{run}/approvals/{uuid.uuid4()}", approval),
    ]


def brings_something(address: str) -> bool:
    """It is said to a run, at an address that there is."""
    return address.endswith(("/proposals", "/answers", "/withdraw", "/finish"))


def standing(desk: Desk) -> dict[str, Any]:
    """What every table holds, but for the log and how long it is."""
    told = contents(desk.database)
    columns = "run_id, status, current_node, state_version, reason_code, wake_at, ended_at"
    runs = desk.database.rows(f"SELECT {columns} FROM engine_run ORDER BY run_id")  # noqa: S608
    return {**told, "engine_run": runs, "engine_event": None}


def test_c13_what_was_tried_is_told_to_the_auditor(office: Office, desk: Desk) -> None:
    place = office.propose(desk.purchase())
    office.work(place)
    run = f"{RUNS}/{place[0]}"
    body = {**office.body("A-1"), "approval": {"approved": True}}
    for _ in range(3):
        problem(office.caller.post(f"{run}/proposals", body), 422, "bad_input", "$.approval")
    page = Reader(desk.people.ada).get("/audit/", run=str(place[0]), kind="request_refused")
    assert "Events that match: 1" in page.text, "the same again at once is the same fact"
    assert "Request refused" in page.text
    told = Reader(desk.people.ada).get(f"/runs/{place[0]}/").text
    assert "Asked for what it may not, and was refused" in told
    assert "$.approval: There is no such field here." in told


def test_c13_an_approval_that_the_agent_brings_is_refused(
    office: Office, desk: Desk, subtests: pytest.Subtests
) -> None:
    order = desk.purchase()
    place = office.propose(order)
    office.work(place)
    run = f"{RUNS}/{place[0]}"
    proposal = f"{run}/proposals/{place[1]}"
    before = standing(desk)
    for address, body in forged(office, run, proposal, order):
        with subtests.test(address=address, body=body):
            known = len(desk.database.log(place[0]))
            assert 400 <= office.caller.post(address, body).status_code < 500
            noted = desk.database.kinds(place[0])[known:]
            assert noted == (["request_refused"] if brings_something(address) else [])
    assert standing(desk) == before
    office.work(place)
    assert office.stands(place) == "open"
    assert (office.caller.run(place[0])["effects"], office.ledger.balance()) == ([], DESK_BALANCE)


def test_c13_a_key_decides_nothing_on_the_pages(office: Office, desk: Desk) -> None:
    """Not even with a reviewer's own form in hand."""
    place = office.propose(desk.purchase())
    office.work(place)
    shown = office.shown(place)
    form = office.rosa.get(address_of(shown)).form
    answer = office.caller.client.post(
        f"{address_of(shown)}decide/",
        {**form, "decision": "approve", "reason": "ok"},
        headers=office.caller.authorization,
    )
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/sign-in/")
    assert office.stands(place) == "open"


def test_c13_a_used_approval_approves_nothing_more(office: Office, desk: Desk) -> None:
    order = desk.purchase()
    place = office.propose(order)
    office.work(place)
    shown = office.shown(place)
    form = office.rosa.get(address_of(shown)).form
    said = {**form, "decision": "approve", "reason": "Seen."}
    statuses = [office.rosa.post(f"{address_of(shown)}decide/", **said).status for _ in range(3)]
    assert statuses == [302, 409, 409]
    office.work(place, place)
    assert office.is_done(place, order)
    assert office.rosa.post(f"{address_of(shown)}decide/", **said).status == 409
    office.work(place)
    assert office.ledger.movements(order) == 1


def both_are_done_once(office: Office, places: Sequence[Place], orders: Sequence[str]) -> None:
    office.work(*places)
    for place, order in zip(places, orders, strict=True):
        assert office.is_done(place, order)
        effects = office.caller.run(place[0])["effects"]
        assert [one["status"] for one in effects] == ["succeeded"]
    office.work(*places)
    assert [office.ledger.movements(order) for order in orders] == [1, 1]


@pytest.mark.parametrize("order_of_decisions", [(0, 1), (1, 0)])
def test_c15_two_runs_of_one_action_are_decided_in_any_order(
    office: Office, desk: Desk, order_of_decisions: tuple[int, int]
) -> None:
    orders = [desk.purchase(), desk.purchase()]
    places = [office.propose(order) for order in orders]
    office.work(*places)
    for number in order_of_decisions:
        assert office.decide(places[number]).status == 302
    both_are_done_once(office, places, orders)


def test_c15_two_runs_of_one_action_are_decided_at_once(
    office: Office, desk: Desk, people: People
) -> None:
    second = people.somebody("ruth", "reviewer")
    orders = [desk.purchase(), desk.purchase()]
    a, b = places = [office.propose(order) for order in orders]
    office.work(*places)
    pages = at_once(lambda: office.decide(a), lambda: office.decide(b, by=second))
    assert [page.status for page in pages] == [302, 302]
    both_are_done_once(office, places, orders)


def test_c15_one_is_decided_while_the_other_is_still_prepared(office: Office, desk: Desk) -> None:
    orders = [desk.purchase(), desk.purchase()]
    a, b = places = [office.propose(order) for order in orders]
    office.work(a)
    assert office.stands(b) == "preparing"
    assert office.decide(a).status == 302
    office.work(b, a)
    assert (office.stands(b), office.ledger.movements(orders[1])) == ("open", 0)
    assert office.decide(b).status == 302
    both_are_done_once(office, places, orders)
