"""DBOS: a workflow whose nodes are steps; the output of each is kept in the system database."""

import threading
import time
from typing import Any

from dbos import DBOS, DBOSConfig

from tests.bench.load import Load

_here = threading.local()


@DBOS.step()
def node(load: dict[str, Any], number: int, run: str) -> dict[str, str]:
    return Load(**load).changes(number, run)


@DBOS.workflow()
def chain(load: dict[str, Any]) -> int:
    _here.began = []
    run = str(DBOS.workflow_id)
    state: dict[str, str] = {}
    for number in range(1, load["nodes"] + 1):
        _here.began.append(time.perf_counter())
        state |= node(load, number, run)
    return len(state)


class Contestant:
    """One process of workers."""

    def __init__(self, url: str, number: int) -> None:
        config: DBOSConfig = {
            "name": "bench",
            "system_database_url": url.replace("postgresql:", "postgresql+psycopg:"),
            "log_level": "ERROR",
            "executor_id": f"bench-{number}",
            "application_version": "1",
            "run_admin_server": False,
        }
        DBOS(config=config)
        DBOS.launch()

    @staticmethod
    def install(url: str) -> None:
        """Its tables are made by whoever launches first."""

    def run(self, load: Load) -> list[float]:
        """Make one run from its start to its end; when each node began, and when it was over."""
        chain(load.as_facts())
        return [*_here.began, time.perf_counter()]
