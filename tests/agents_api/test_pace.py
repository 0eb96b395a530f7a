"""A key may be used so often and no more, whichever process counts; another key is not touched."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from oversight.agents_api import pace
from oversight.agents_api.refusals import TooManyRequests
from oversight.models import Agent
from tests.agents_api.caller import RUNS, Caller, Rows, issued, problem
from tests.world import Database


@pytest.fixture
def key_id(caller: Caller) -> str:
    return caller.key.split("_")[1]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three at once, and another one every hundred seconds."""
    monkeypatch.setattr(pace, "BURST", 3)
    monkeypatch.setattr(pace, "PER_SECOND", 0.01)


def seconds_pass(database: Database, seconds: float) -> None:
    database.execute(f"UPDATE oversight_pace SET full_at = full_at - interval '{seconds} s'")  # noqa: S608


def admitted(key_id: str, tries: int) -> int:
    count = 0
    for _ in range(tries):
        try:
            pace.count(key_id)
            count += 1
        except TooManyRequests:
            continue
    return count


@pytest.mark.usefixtures("narrow")
def test_a_full_bucket_holds_so_many_requests(key_id: str) -> None:
    assert admitted(key_id, 10) == 3


@pytest.mark.usefixtures("narrow")
def test_it_fills_up_again_and_never_over(key_id: str, database: Database) -> None:
    assert admitted(key_id, 10) == 3
    seconds_pass(database, 101)
    assert admitted(key_id, 10) == 1
    seconds_pass(database, 1_000_000)
    assert admitted(key_id, 10) == 3


@pytest.mark.usefixtures("narrow")
def test_many_at_once_are_counted_right(key_id: str) -> None:
    def one(_: int) -> int:
        try:
            return admitted(key_id, 1)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as threads:
        assert sum(threads.map(one, range(30))) == 3


@pytest.mark.usefixtures("narrow")
def test_who_asks_too_often_is_told_to_wait(caller: Caller, rows: Rows) -> None:
    for _ in range(3):
        assert caller.get(RUNS).status_code == 200
    before = rows.count()
    for answer in (caller.get(RUNS), caller.post(RUNS, {"workflow": "agent"})):
        assert "3 requests at once" in problem(answer, 429, "too_many_requests")
        assert answer.headers["Retry-After"] == "1"
        assert answer.json()["retryable"] is True
    assert rows.count() == before


@pytest.mark.usefixtures("narrow")
def test_every_key_has_a_bucket_of_its_own(agent: Agent) -> None:
    busy, calm = issued(agent, "*"), issued(agent, "*")
    for _ in range(4):
        busy.get(RUNS)
    problem(busy.get(RUNS), 429, "too_many_requests")
    assert calm.get(RUNS).status_code == 200


@pytest.mark.usefixtures("narrow")
def test_a_wrong_key_empties_nobody_s_bucket(caller: Caller) -> None:
    guess = Caller(caller.key[:-4] + "0000")
    for _ in range(5):
        problem(guess.get(RUNS), 401, "unauthenticated")
    assert caller.get(RUNS).status_code == 200


def test_after_a_second_there_is_enough_to_go_on_with() -> None:
    """That is what Retry-After: 1 promises."""
    assert 10 <= pace.PER_SECOND <= pace.BURST


def test_counting_waits_for_no_disk(database: Database) -> None:
    kind = "SELECT relpersistence::text FROM pg_class WHERE relname = 'oversight_pace'"
    assert database.value(kind) == "u"
