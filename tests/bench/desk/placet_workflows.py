"""A chain of nodes that do nothing but change the state, and a run of a single effect."""

import threading
import time
from collections.abc import Callable

from engine.workflows import Context, Next, Workflow, finish, go, propose
from tests.bench.load import NODES, Load

here = threading.local()
"""What this thread's runs carry (`load`), and when their nodes began (`began`)."""

steps = Workflow("bench.steps", start="node_1")


def _node(number: int) -> Callable[[Context], Next]:
    onward = f"node_{number + 1}"

    def node(ctx: Context) -> Next:
        here.began.append(time.perf_counter())
        load: Load = here.load
        if number == load.nodes:
            return finish(**load.changes(number, ctx.run_id))
        return go(onward, **load.changes(number, ctx.run_id))

    node.__name__ = f"node_{number}"
    return node


for _number in range(1, NODES + 1):
    _last = _number == NODES
    steps.node(to=[] if _last else [f"node_{_number + 1}"], ends=True)(_node(_number))


effect = Workflow("bench.effect", start="ask")


@effect.node(to=["done"])
def ask(ctx: Context) -> Next:
    action, number = ctx.state["action"], ctx.state["number"]
    return propose(action, {"number": number}, why="To see how long it takes.", then="done")


@effect.node(ends=True)
def done(ctx: Context) -> Next:
    return finish()
