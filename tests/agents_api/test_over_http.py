"""A real web server and a real worker: the same promises over a real connection."""

import contextlib
import http.client
import json
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from engine.canonical import MAX_BODY
from tests.agents_api.caller import PROPOSAL, REFUND, RUNS
from tests.agents_api.line import Line
from tests.faults.processes import Worker, wait_until
from tests.world import Database, Ledger


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
