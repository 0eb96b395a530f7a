"""An agent's own runs, newest first: none skipped and none told twice while others are started."""

import uuid
from typing import Any

import pytest

from engine import worker
from tests.agents_api.caller import RUNS, Caller, problem
from tests.world import Database


def page(caller: Caller, **query: Any) -> dict[str, Any]:
    answer = caller.client.get(RUNS, query, headers=caller.authorization)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def ids(told: dict[str, Any]) -> list[uuid.UUID]:
    return [uuid.UUID(run["run_id"]) for run in told["runs"]]


def started(caller: Caller, count: int) -> set[uuid.UUID]:
    return {caller.start_run() for _ in range(count)}


def test_thirty_of_one_instant_while_twenty_more_arrive(caller: Caller, database: Database) -> None:
    """Pages of seven; after each of them some are started, of the same instant and later."""
    mine = started(caller, 30)
    database.execute("UPDATE engine_run SET created_at = '2026-03-02T09:12:03.184220Z'")
    instant = "UPDATE engine_run SET created_at = '2026-03-02T09:12:03.184220Z' WHERE run_id = %s"
    told, cursor, later = [], {}, 0
    while True:
        found = page(caller, limit=7, **cursor)
        told += ids(found)
        assert len(ids(found)) <= 7
        for number, run_id in enumerate(started(caller, 4)):
            later += 1
            if number % 2:
                database.execute(instant, run_id)
        if found["next_cursor"] is None:
            break
        cursor = {"cursor": found["next_cursor"]}
    assert later >= 20
    assert len(told) == len(set(told))
    assert mine <= set(told)


def test_the_newest_come_first_and_the_last_page_ends(caller: Caller) -> None:
    first, second, third = (caller.start_run() for _ in range(3))
    found = page(caller, limit=2)
    assert ids(found) == [third, second]
    last = page(caller, limit=2, cursor=found["next_cursor"])
    assert (ids(last), last["next_cursor"]) == ([first], None)
    assert page(caller, limit=3)["next_cursor"] is None


def test_without_runs_there_is_an_empty_page(caller: Caller) -> None:
    assert page(caller) == {"runs": [], "next_cursor": None}


def test_a_run_is_told_as_it_stands(caller: Caller) -> None:
    run_id = caller.start_run(labels={"case": "CS-311"})
    (told,) = page(caller)["runs"]
    whole = caller.run(run_id)
    assert told == {name: whole[name] for name in told}
    assert told["labels"] == {"case": "CS-311"}


def test_filters(caller: Caller) -> None:
    done, waiting, refund = caller.start_run(), caller.start_run(), caller.start_run("refund")
    caller.post(f"{RUNS}/{done}/finish", {})
    worker.run_once(done)
    worker.run_once(waiting)
    assert ids(page(caller, status="completed")) == [done]
    assert ids(page(caller, status="waiting_external")) == [waiting]
    assert ids(page(caller, workflow="refund")) == [refund]
    assert ids(page(caller, workflow="agent", status="running")) == []
    assert ids(page(caller, workflow="agent")) == [waiting, done]
    assert ids(page(caller, workflow="never.was")) == []


def test_other_agents_runs_are_not_among_them(caller: Caller, stranger: Caller) -> None:
    mine, theirs = caller.start_run(), stranger.start_run()
    assert ids(page(caller)) == [mine]
    assert ids(page(stranger)) == [theirs]


def test_a_stranger_s_cursor_opens_nothing(caller: Caller, stranger: Caller) -> None:
    caller.start_run()
    started(stranger, 2)
    cursor = page(stranger, limit=1)["next_cursor"]
    assert set(ids(page(caller, cursor=cursor))) <= set(ids(page(caller)))


WRONG = [
    ("cursor=7", "query.cursor"),
    ("cursor=", "query.cursor"),
    ("cursor=AAAA", "query.cursor"),
    ("cursor=_____w", "query.cursor"),
    ("cursor=a%00b", "query.cursor"),
    ("cursor=MjAyNi0wMy0wMlQwOToxMjowM34w", "query.cursor"),
    (f"cursor={'x' * 201}", "query.cursor"),
    ("limit=0", "query.limit"),
    ("limit=501", "query.limit"),
    ("status=", "query.status"),
    ("status=done", "query.status"),
    ("status=running%00", "query.status"),
    ("workflow=", "query.workflow"),
    ("workflow=a%00", "query.workflow"),
    ("workflow=a%20b", "query.workflow"),
]


def test_a_wrong_question_is_named(caller: Caller, subtests: pytest.Subtests) -> None:
    for query, path in WRONG:
        with subtests.test(query=query):
            problem(caller.get(f"{RUNS}?{query}"), 422, "bad_input", path)
