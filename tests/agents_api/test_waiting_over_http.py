"""Long polls at a real web server: many wait, pages are quick, and a decision is heard at once."""

import http.client
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psutil
import pytest
from django.test import Client

from engine import worker
from engine.models import Proposal
from oversight.models import ApiKey
from tests.agents_api.caller import REFUND, RUNS, Caller
from tests.agents_api.line import Answer, Line
from tests.faults.processes import wait_until
from tests.world import Desk

MANY = 50
WAIT_SECONDS = 25
SOON_SECONDS = 1.0
pytestmark = pytest.mark.slow


class Waiters:
    """Proposals that lie open, and agents that wait for news of them, each in its own thread."""

    def __init__(self, line: Line, desk: Desk, caller: Caller) -> None:
        self.line, self.desk, self.caller = line, desk, caller
        self._threads = ThreadPoolExecutor(MANY)

    def open_proposal(self) -> Proposal:
        run_id = self.caller.start_run()
        arguments = {**REFUND, "order": self.desk.purchase()}
        proposal_id = self.caller.propose(run_id, arguments=arguments)
        worker.run_once(run_id)
        return Proposal.objects.get(proposal_id=proposal_id)

    def news_of(self, proposal: Proposal, wait: int = WAIT_SECONDS) -> "Future[Answer]":
        """Wait for whatever becomes of it, from how it stands now on."""
        seen = self.caller.proposal(proposal.run_id, proposal.proposal_id)
        address = f"{RUNS}/{proposal.run_id}/proposals/{proposal.proposal_id}"
        return self.wait_at(f"{address}?wait={wait}&after={seen['mark']}")

    def wait_at(self, address: str) -> "Future[Answer]":
        return self._threads.submit(self.line.ask, "GET", address)

    def arrive(self, count: int) -> None:
        """Wait until the server has so many of them on the line."""
        server = psutil.Process(self.line.server.child.pid)

        def on_the_line() -> bool:
            lines = [one for one in server.net_connections("tcp") if one.status == "ESTABLISHED"]
            return len(lines) >= count

        wait_until(f"{count} are on the line", on_the_line)

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)


@pytest.fixture
def waiters(desk: Desk, line: Line, caller: Caller) -> Iterator[Waiters]:
    found = Waiters(line, desk, caller)
    yield found
    found.close()


@pytest.fixture
def inbox(line: Line, desk: Desk, settings: Any, processes_environment: dict[str, str]) -> Any:
    """Opens the inbox as Rosa; gives the seconds that it took."""
    settings.SECRET_KEY = processes_environment["PLACET_SECRET_KEY"]
    rosa = Client()
    rosa.force_login(desk.people.rosa)
    cookie = rosa.cookies[settings.SESSION_COOKIE_NAME].OutputString()

    def look() -> float:
        begun = time.monotonic()
        connection = http.client.HTTPConnection(line.address, timeout=WAIT_SECONDS)
        connection.request("GET", "/inbox/", headers={"Cookie": cookie.partition(";")[0]})
        answer = connection.getresponse()
        assert answer.status == 200
        assert b"ledger.refund" in answer.read()
        connection.close()
        return time.monotonic() - begun

    return look


def connections(desk: Desk) -> int:
    """How many connections to the database web servers hold."""
    of_ours = "datname = current_database() AND starts_with(application_name, 'placet web ')"
    return int(desk.database.value(f"SELECT count(*) FROM pg_stat_activity WHERE {of_ours}"))  # noqa: S608


def test_while_many_wait_pages_are_quick_and_one_decision_wakes_them_all(
    waiters: Waiters, desk: Desk, inbox: Any
) -> None:
    proposal = waiters.open_proposal()
    many = [waiters.news_of(proposal) for _ in range(MANY)]
    waiters.arrive(MANY)

    assert max(inbox() for _ in range(5)) < WAIT_SECONDS / 5
    assert not any(one.done() for one in many)
    assert 1 <= connections(desk) <= 8
    assert psutil.Process(waiters.line.server.child.pid).num_threads() < MANY

    desk.approve(proposal)
    decided = time.monotonic()
    told = [one.result(timeout=WAIT_SECONDS) for one in many]
    assert time.monotonic() - decided < WAIT_SECONDS / 2
    assert {(status, body["status"]) for status, _, body in told} == {(200, "approved")}


def test_a_decision_is_heard_within_a_second(waiters: Waiters, desk: Desk) -> None:
    """The quickest of three: this machine may be busy with something else."""

    def seconds() -> float:
        proposal = waiters.open_proposal()
        waiter = waiters.news_of(proposal)
        waiters.arrive(1)
        desk.decide(proposal, "reject")
        decided = time.monotonic()
        _, headers, told = waiter.result(timeout=WAIT_SECONDS)
        assert (told["status"], told["final"]) == ("rejected", True)
        assert headers["etag"] == f'W/"{told["mark"]}"'
        return time.monotonic() - decided

    assert min(seconds() for _ in range(3)) < SOON_SECONDS


def test_at_the_end_of_its_time_it_is_told_the_same(waiters: Waiters) -> None:
    proposal = waiters.open_proposal()
    before = waiters.caller.proposal(proposal.run_id, proposal.proposal_id)
    begun = time.monotonic()
    status, _, told = waiters.news_of(proposal, wait=1).result(timeout=WAIT_SECONDS)
    assert time.monotonic() - begun >= 1
    assert (status, told) == (200, before)


def test_the_next_event_is_told_when_it_comes(waiters: Waiters, caller: Caller) -> None:
    run_id = caller.start_run()
    waiter = waiters.wait_at(f"{RUNS}/{run_id}/events?after=1&wait={WAIT_SECONDS}")
    waiters.arrive(1)
    proposal_id = caller.propose(run_id)
    _, _, told = waiter.result(timeout=WAIT_SECONDS)
    assert [event["payload"]["proposal_id"] for event in told["events"]] == [str(proposal_id)]
    assert told["next_after"] == 2


def test_who_is_not_let_in_any_more_hears_no_news(
    waiters: Waiters, desk: Desk, caller: Caller
) -> None:
    proposal = waiters.open_proposal()
    waiter = waiters.news_of(proposal)
    waiters.arrive(1)
    ApiKey.objects.update(revoked_at=ApiKey.objects.get().created_at)
    desk.approve(proposal)
    status, _, told = waiter.result(timeout=WAIT_SECONDS)
    assert (status, told["code"]) == (401, "unauthenticated")
