"""LangGraph: a graph of nodes, each checkpointed by PostgresSaver before the next one begins."""

import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, TypedDict

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from tests.bench.load import Load

_here = threading.local()


class State(TypedDict, total=False):
    doc: str
    note: str


class Contestant:
    """One process of workers. A saver lets one thread in at a time: each thread has its own."""

    def __init__(self, url: str, number: int) -> None:
        options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        self._pool: Any = ConnectionPool(url, min_size=1, max_size=10, kwargs=options, open=True)

    @staticmethod
    def install(url: str) -> None:
        with PostgresSaver.from_conn_string(url) as saver:
            saver.setup()

    def run(self, load: Load) -> list[float]:
        """Make one run from its start to its end; when each node began, and when it was over."""
        if getattr(_here, "load", None) != load:
            _here.load = load
            _here.graph = _graph(load).compile(checkpointer=PostgresSaver(self._pool))
        _here.began, _here.run = [], str(uuid.uuid4())
        config: Any = {
            "configurable": {"thread_id": _here.run},
            "recursion_limit": load.nodes + 5,
        }
        _here.graph.invoke({"doc": ""}, config, durability="sync")
        return [*_here.began, time.perf_counter()]


def _graph(load: Load) -> StateGraph[State]:
    graph = StateGraph(State)
    names = [f"node_{number}" for number in range(1, load.nodes + 1)]
    for number, name in enumerate(names, 1):
        graph.add_node(name, _node(load, number))
    for one, other in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(one, other)
    return graph


def _node(load: Load, number: int) -> Callable[[State], dict[str, str]]:
    def node(state: State) -> dict[str, str]:
        _here.began.append(time.perf_counter())
        return load.changes(number, _here.run)

    return node
