"""A graph that asks for a thing, the same with newer code, and what came of runs under both."""

import json
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from engine.models import Alert, Proposal
from engine.waits import wait_for
from engine.workflows import Context, Next, Workflow, finish, propose
from tests.engine.newer import newer_workflow
from tests.world import Desk

MODEL = {"model:triage": "m-2026-05"}


def ask(ctx: Context) -> Next:
    return propose(
        "thing.make",
        {"thing": ctx.state["thing"]},
        why="It is wanted.",
        then="done",
        otherwise="refused",
    )


def await_goods(ctx: Context) -> Next:
    return wait_for("goods", key="A-1", then="done", expires=timedelta(weeks=1))


def done(ctx: Context) -> Next:
    return finish()


def refused(ctx: Context) -> Next:
    return finish(refused=True)


def made(version: int = 1, **more: Any) -> Workflow:
    """Ask for a thing, and then it is done; or it was refused."""
    graph = Workflow("made", version=version, start="ask", **more)
    graph.node(to=["done", "refused"])(ask)
    graph.node(ends=True)(done)
    graph.node(ends=True)(refused)
    return graph


def as_it_was(node: str, state: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    return node, state


def carried(old: Workflow, function: Callable[..., Any] = as_it_was, **changed: Any) -> Workflow:
    """A next version of it in its place that takes runs along by this function."""
    newer = newer_workflow(old, **changed)
    newer.carries_over(from_version=old.version, to=list(newer.nodes))(function)
    newer.check()
    return newer


def begun(desk: Desk, graph: Workflow) -> uuid.UUID:
    run_id = desk.start_run(graph.name, thing="a lamp")
    desk.work(run_id)
    return run_id


def told(desk: Desk, run_id: uuid.UUID, kind: str) -> list[dict[str, Any]]:
    return [
        json.loads(event["payload"]) for event in desk.database.log(run_id) if event["kind"] == kind
    ]


def patience_runs_out(desk: Desk, run_id: uuid.UUID) -> str:
    """Workers come by until a person is asked; gives what that person is told."""
    for _ in range(10):
        desk.work_on_after_waiting(run_id)
    run = desk.run(run_id)
    assert (run.status, run.reason_code) == ("paused", "incompatible_version")
    assert Alert.objects.filter(run_id=run_id, kind="incompatible_version").exists()
    return str(told(desk, run_id, "run_paused")[-1]["detail"])


def versions_of(run_id: uuid.UUID) -> list[tuple[int, str]]:
    found = Proposal.objects.filter(run_id=run_id).order_by("opened_at")
    return list(found.values_list("version", "status"))
