"""A run's log, a page at a time: in order, without gaps, nothing twice."""

from typing import Any

import pytest

from engine import worker
from tests.agents_api.caller import PROPOSAL, RUNS, Caller, problem
from tests.world import Desk


def pages(caller: Caller, address: str, limit: int) -> list[list[dict[str, Any]]]:
    """Every page, asked for until there is no more."""
    found, after = [], 0
    while True:
        answer = caller.get(f"{address}?after={after}&limit={limit}").json()
        found.append(answer["events"])
        assert answer["next_after"] > after or not answer["more"]
        after = answer["next_after"]
        if not answer["more"]:
            return found


def test_pages_hold_every_event_once(desk: Desk, caller: Caller) -> None:
    run_id = caller.start_run()
    caller.propose(run_id, arguments={**PROPOSAL["arguments"], "order": desk.purchase()})
    worker.run_once(run_id)
    log = desk.database.log(run_id)
    assert len(log) > 4

    for limit in (1, 2, 3, len(log), 500):
        found = pages(caller, f"{RUNS}/{run_id}/events", limit)
        told = [event for page in found for event in page]
        assert [event["seq"] for event in told] == list(range(1, len(log) + 1))
        assert [event["hash"] for event in told] == [event["hash"].hex() for event in log]
        assert all(len(page) <= limit for page in found)
        assert [event["kind"] for event in told] == [event["kind"] for event in log]


def test_an_event_carries_its_facts(caller: Caller) -> None:
    run_id = caller.start_run(labels={"case": "CS-311"})
    (event,) = caller.get(f"{RUNS}/{run_id}/events").json()["events"]
    assert event["kind"] == "run_accepted"
    assert event["actor"] == "agent:refund-desk"
    assert event["payload"]["labels"] == {"case": "CS-311"}
    assert event["at"].endswith("Z")


def test_what_comes_later_is_found_from_where_one_stopped(caller: Caller) -> None:
    run_id = caller.start_run()
    address = f"{RUNS}/{run_id}/events"
    first = caller.get(address).json()
    assert (first["next_after"], first["more"]) == (1, False)

    nothing = caller.get(f"{address}?after=1").json()
    assert nothing == {"events": [], "next_after": 1, "more": False}

    caller.propose(run_id)
    (event,) = caller.get(f"{address}?after=1").json()["events"]
    assert (event["seq"], event["kind"]) == (2, "effect_requested")


def test_after_the_end_there_is_nothing_and_one_stays_where_one_is(caller: Caller) -> None:
    run_id = caller.start_run()
    answer = caller.get(f"{RUNS}/{run_id}/events?after=99").json()
    assert answer == {"events": [], "next_after": 99, "more": False}


def test_an_erased_payload_is_null(desk: Desk, caller: Caller) -> None:
    run_id = caller.start_run()
    desk.database.execute(
        "ALTER TABLE engine_event DISABLE TRIGGER USER;"
        "UPDATE engine_event SET payload = NULL, salt = NULL"
    )
    (event,) = caller.get(f"{RUNS}/{run_id}/events").json()["events"]
    assert event["payload"] is None
    assert event["hash"]


def test_a_wrong_page_is_named(caller: Caller, subtests: pytest.Subtests) -> None:
    address = f"{RUNS}/{caller.start_run()}/events"
    for query, path in (
        ("limit=0", "query.limit"),
        ("limit=501", "query.limit"),
        ("limit=ten", "query.limit"),
        ("after=-1", "query.after"),
        ("after=1.5", "query.after"),
        ("after=99999999999999999999", "query.after"),
        ("after=", "query.after"),
    ):
        with subtests.test(query=query):
            problem(caller.get(f"{address}?{query}"), 422, "bad_input", path)
