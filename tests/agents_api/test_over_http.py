"""A real web server and a real worker: the same promises over a real connection."""

import contextlib
import http.client
import json
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from engine.canonical import MAX_BODY
from tests.agents_api.caller import PROPOSAL, REFUND, RUNS, Caller
from tests.faults.processes import Web, Worker, wait_until
from tests.world import Database, Ledger

Answer = tuple[int, dict[str, str], Any]


class Line:
    """One agent's requests to one server, each on a connection of its own."""

    def __init__(self, web: Web, caller: Caller) -> None:
        self.address = urlsplit(web.url).netloc
        self.key = caller.key

    def ask(self, method: str, path: str, body: Any = None, once: str | None = None) -> Answer:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = once or str(uuid.uuid4())
        connection = http.client.HTTPConnection(self.address, timeout=20)
        sent = body if isinstance(body, bytes | type(None)) else json.dumps(body)
        connection.request(method, path, sent, headers)
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, named, json.loads(read)

    def insist(self, path: str, body: Any, once: str) -> Answer:
        """Post until the answer is not that the same request is still being answered."""
        for _ in range(200):
            status, headers, told = self.ask("POST", path, body, once)
            if status != 409:
                return status, headers, told
            assert told["code"] == "still_running"
            assert headers["retry-after"] == "1"
        raise AssertionError("it is still being answered after 200 tries")


@pytest.fixture
def line(web_process: Callable[..., Web], caller: Caller) -> Line:
    return Line(web_process(), caller)


@pytest.mark.slow
def test_ten_at_once_start_one_run_and_make_one_proposal(line: Line, database: Database) -> None:
    with ThreadPoolExecutor(10) as threads:
        runs = list(threads.map(lambda _: line.insist(RUNS, {"workflow": "agent"}, "k"), range(10)))
        (run_id,) = {told["run_id"] for _, _, told in runs}
        address = f"{RUNS}/{run_id}/proposals"
        asked = list(threads.map(lambda _: line.insist(address, PROPOSAL, "p"), range(10)))

    assert {status for status, _, _ in runs} == {201}
    assert sum("idempotency-replayed" not in headers for _, headers, _ in runs) == 1
    assert len({told["proposal_id"] for _, _, told in asked}) == 1
    assert database.kinds(uuid.UUID(run_id)).count("effect_requested") == 1


@pytest.mark.slow
def test_a_hint_reaches_a_worker_and_the_proposal_is_opened(
    line: Line, worker_process: Callable[..., Worker], ledger: Ledger
) -> None:
    worker_process().ready()
    _, _, run = line.ask("POST", RUNS, {"workflow": "agent"})
    arguments = {**REFUND, "order": ledger.add_purchase("A-1")}
    address = f"{RUNS}/{run['run_id']}/proposals"
    _, _, asked = line.ask("POST", address, {**PROPOSAL, "arguments": arguments})

    def is_open() -> bool:
        status, _, told = line.ask("GET", f"{address}/{asked['proposal_id']}")
        return bool(status == 200 and told["status"] == "open")

    wait_until("the proposal is open", is_open)


@pytest.mark.slow
def test_a_body_of_unknown_length_is_refused_once_it_is_too_long(
    line: Line, database: Database
) -> None:
    def parts() -> Any:
        for _ in range(40):
            yield b" " * (MAX_BODY // 10)

    connection = http.client.HTTPConnection(line.address, timeout=20)
    headers = {"Authorization": f"Bearer {line.key}", "Content-Type": "application/json"}
    # The server may stop listening before all of it is sent.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.request("POST", RUNS, parts(), headers)
    answer = connection.getresponse()
    assert answer.status == 413
    assert json.loads(answer.read())["code"] == "too_large"
    connection.close()
    assert database.value("SELECT count(*) FROM engine_run") == 0
