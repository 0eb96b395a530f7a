"""A POST is answered once: repeated, it is answered the same and nothing happens again."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import RequestFactory

from oversight.agents_api import asked, idempotency, reads
from oversight.models import Agent, IdempotentRequest
from tests.agents_api.caller import PROPOSAL, RUNS, Caller, Rows, problem
from tests.world import Database

BODY = {"workflow": "agent"}
REPLAYED = "Idempotency-Replayed"


def test_a_post_without_a_key_is_refused(caller: Caller, rows: Rows) -> None:
    run_id = caller.start_run()
    before = rows.count()
    for address, body in (
        (RUNS, BODY),
        (f"{RUNS}/{run_id}/proposals", PROPOSAL),
        (f"{RUNS}/{run_id}/finish", {}),
    ):
        answer = caller.post(address, body, **{"Idempotency-Key": None})
        problem(answer, 400, "idempotency_key_missing", "header.Idempotency-Key")
    assert rows.count() == before


def test_a_key_that_is_none_is_refused(
    caller: Caller, rows: Rows, subtests: pytest.Subtests
) -> None:
    before = rows.count()
    for key in ("", "x" * 256, "tab\there", "caf\u00e9", "nul\x00"):
        with subtests.test(key=key):
            answer = caller.post(RUNS, BODY, **{"Idempotency-Key": key})
            problem(answer, 400, "idempotency_key_invalid", "header.Idempotency-Key")
    assert rows.count() == before
    assert caller.post(RUNS, BODY, once="x" * 255).status_code == 201


def test_repeated_it_is_answered_the_same_and_says_so(caller: Caller, rows: Rows) -> None:
    first = caller.post(RUNS, BODY, once="k")
    before = rows.count()
    again = caller.post(RUNS, BODY, once="k")

    assert rows.count() == before
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["Content-Type"] == first.headers["Content-Type"]
    assert again.headers[REPLAYED] == "true"
    assert REPLAYED not in first.headers


def test_the_answer_stays_the_first_one_when_the_world_has_moved_on(caller: Caller) -> None:
    run_id = caller.start_run()
    address = f"{RUNS}/{run_id}/finish"
    first = caller.post(address, {}, once="k")
    caller.propose(run_id)
    assert caller.post(address, {}, once="k").content == first.content


def test_the_same_body_may_be_spelled_otherwise(caller: Caller) -> None:
    one = b'{"workflow": "agent", "labels": {"a": "1", "b": "2"}}'
    other = b'{"labels":{"b":"2","a":"\\u0031"},"workflow":"agent","state":{}}'
    first, again = caller.post(RUNS, one, once="k"), caller.post(RUNS, other, once="k")
    assert again.headers[REPLAYED] == "true"
    assert again.content == first.content


def test_a_release_with_one_more_field_finds_what_was_asked_before() -> None:
    class Later(asked.Propose):
        urgency: int | None = None

    request = RequestFactory().post("/api/v1/runs/7/proposals")
    hashes = {idempotency._hash(request, kind(**PROPOSAL)) for kind in (asked.Propose, Later)}
    assert len(hashes) == 1
    assert idempotency._hash(request, Later(**PROPOSAL, urgency=1)) not in hashes


def test_c44_a_key_belongs_to_one_request(caller: Caller, rows: Rows) -> None:
    run_id = caller.start_run()
    first = caller.post(f"{RUNS}/{run_id}/proposals", PROPOSAL, once="k")
    before = rows.count()
    before["engine_event"] += 2  # each attempt in the run is noted there, and the third is in none
    for address, body in (
        (f"{RUNS}/{run_id}/proposals", {**PROPOSAL, "why": "Another reason."}),
        (f"{RUNS}/{run_id}/finish", {}),
        (RUNS, BODY),
    ):
        answer = caller.post(address, body, once="k")
        problem(answer, 422, "idempotency_key_reused", "header.Idempotency-Key")
    assert rows.count() == before
    again = caller.post(f"{RUNS}/{run_id}/proposals", PROPOSAL, once="k")
    assert again.json() == first.json()


def test_the_same_body_to_another_run_is_another_request(
    caller: Caller, database: Database
) -> None:
    one, other = caller.start_run(), caller.start_run()
    assert caller.post(f"{RUNS}/{one}/finish", {}, once="k").status_code == 202
    answer = caller.post(f"{RUNS}/{other}/finish", {}, once="k")
    problem(answer, 422, "idempotency_key_reused", "header.Idempotency-Key")
    assert database.kinds(other) == ["run_accepted", "request_refused"]


def test_what_is_refused_is_not_kept(caller: Caller) -> None:
    problem(caller.post(RUNS, {"workflow": "nonesuch"}, once="k"), 422, "bad_input", "$.workflow")
    problem(caller.post(f"{RUNS}/{uuid.uuid4()}/finish", {}, once="k"), 404, "not_found")
    assert not IdempotentRequest.objects.exists()
    assert caller.post(RUNS, BODY, once="k").status_code == 201


def test_change_and_answer_are_kept_together_or_not_at_all(
    caller: Caller, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash after the change and before its answer is stored leaves neither."""
    before = rows.count()

    def crash(*_: object) -> None:
        raise RuntimeError("the power is gone")

    with monkeypatch.context() as patched:
        patched.setattr(idempotency, "_keep", crash)
        problem(caller.post(RUNS, BODY, once="k"), 500, "internal")
    assert rows.count() == before
    assert caller.post(RUNS, BODY, once="k").status_code == 201


def test_a_worker_is_told_once_and_only_of_what_was_committed(
    caller: Caller, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = caller.start_run()
    caller.post(f"{RUNS}/{run_id}/finish", {}, once="k")
    caller.post(f"{RUNS}/{run_id}/finish", {}, once="k")
    assert database.hints == [run_id, run_id]

    monkeypatch.setattr(idempotency, "_keep", lambda *_: 1 / 0)
    caller.post(RUNS, BODY)
    assert database.hints == [run_id, run_id]


def test_answers_are_kept_for_thirty_days(caller: Caller, agent: Agent, database: Database) -> None:
    first = caller.post(RUNS, BODY, once="k")
    for number in range(30):
        caller.post(RUNS, {"workflow": "nonesuch"}, once=str(number))
    database.execute(
        "UPDATE oversight_idempotentrequest SET created_at = now() - interval '29 d 23 h'"
    )
    assert caller.post(RUNS, BODY, once="k").content == first.content

    database.execute(
        "UPDATE oversight_idempotentrequest SET created_at = now() - interval '30 d 1 s'"
    )
    assert caller.post(RUNS, BODY, once="k").json()["run_id"] != first.json()["run_id"]


def test_old_answers_are_cleared_away_by_new_ones(
    caller: Caller, agent: Agent, database: Database
) -> None:
    database.execute(
        "INSERT INTO oversight_idempotentrequest"
        " (agent_id, key, request_hash, status, response, created_at)"
        " SELECT %s, 'old ' || n, repeat('0', 64), 201, '{}', now() - interval '31 d'"
        " FROM generate_series(1, 25) n",
        agent.pk,
    )
    caller.start_run()
    assert IdempotentRequest.objects.filter(key__startswith="old").count() == 5
    caller.start_run()
    assert IdempotentRequest.objects.filter(key__startswith="old").count() == 0


def at_once(count: int, send: Callable[[], HttpResponse]) -> list[HttpResponse]:
    """`send`, by so many threads that begin together, each on a connection of its own."""
    gate = threading.Barrier(count)

    def one(_: int) -> HttpResponse:
        gate.wait(10)
        try:
            return send()
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(one, range(count)))


def insisting(send: Callable[[], HttpResponse]) -> HttpResponse:
    """Send until the answer is not that the same request is still being answered."""
    for _ in range(200):
        answer = send()
        if answer.status_code != 409:
            return answer
        problem(answer, 409, "still_running")
        assert answer.headers["Retry-After"] == "1"
        assert answer.json()["retryable"] is True
    raise AssertionError("it is still being answered after 200 tries")


def test_ten_at_once_start_one_run(caller: Caller, database: Database) -> None:
    answers = at_once(10, lambda: insisting(lambda: caller.post(RUNS, BODY, once="k")))

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert sum(REPLAYED not in answer.headers for answer in answers) == 1
    assert database.value("SELECT count(*) FROM engine_run") == 1
    assert len(database.hints) == 1


def test_ten_at_once_make_one_proposal(caller: Caller, database: Database) -> None:
    run_id = caller.start_run()
    address = f"{RUNS}/{run_id}/proposals"

    answers = at_once(10, lambda: insisting(lambda: caller.post(address, PROPOSAL, once="k")))

    assert len({answer.json()["proposal_id"] for answer in answers}) == 1
    assert database.kinds(run_id) == ["run_accepted", "effect_requested"]


def test_ten_at_once_with_keys_of_their_own_make_ten_runs(
    caller: Caller, database: Database
) -> None:
    answers = at_once(10, lambda: caller.post(RUNS, BODY))
    assert len({answer.json()["run_id"] for answer in answers}) == 10


def test_while_the_first_is_being_answered_the_second_is_told_to_wait(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first stands still inside its transaction, its change made and not committed."""
    changed, go_on = threading.Event(), threading.Event()
    own_run = reads.own_run

    def slow(*args: Any) -> Any:
        found = own_run(*args)
        changed.set()
        assert go_on.wait(10)
        return found

    monkeypatch.setattr(reads, "own_run", slow)
    first: list[HttpResponse] = []
    thread = threading.Thread(
        target=lambda: first.extend(at_once(1, lambda: caller.post(RUNS, BODY, once="k")))
    )
    thread.start()
    assert changed.wait(10)

    second = caller.post(RUNS, BODY, once="k")
    problem(second, 409, "still_running")
    assert second.headers["Retry-After"] == "1"

    go_on.set()
    thread.join(10)
    assert first[0].status_code == 201
    again = caller.post(RUNS, BODY, once="k")
    assert again.content == first[0].content


def test_a_turn_ends_with_its_transaction(caller: Caller, agent: Agent) -> None:
    """Nothing holds on to a key once its request is over, whichever way it ended."""
    caller.post(RUNS, {"workflow": "nonesuch"}, once="k")
    caller.post(RUNS, BODY, once="k")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert cursor.fetchone() == (0,)
