"""A run's visit to a node: its function is called, and the run moves as it says."""

import uuid
from collections.abc import Callable, Iterable
from typing import Any

from . import actions, branching, budgets, clock, references, values, workflows
from .branches import Branch
from .canonical import as_said, coming_back, must_come_back
from .errors import BadInput, BudgetExhausted
from .eventlog import Log
from .lifecycle import OutsideFailed, end, outside, pause, stopped_by_budget, wait_for_agent
from .types import Facts
from .workflows import Context, Finish, Go, Next, Propose, Wait


def visit(log: Log) -> None:
    """Run the node's function and move as it says; an open-ended run waits for its agent."""
    position = log.position
    if stopped_by_budget(log):
        return None
    workflow = workflows.get(position.workflow, position.workflow_version)
    if workflow.open_ended:
        return wait_for_agent(log)
    node = workflow.nodes[position.node]
    said = outside(lambda: node.function(_context(log)))
    _check_allowed(node, said)
    _follow(log, said)


def _context(log: Log) -> Context:
    position = log.position
    return Context(
        run_id=str(position.run_id),
        state=values.Opened(position.state),
        latest_effect=position.completed.get("latest"),
        event=_opened(position.event),
        branches=_read(position.branches),
        record=lambda name, function: _recorded(log, name, function),
        switch_plan=lambda name, plan: _plan_switched(log, name, plan),
        spend=lambda name, **amounts: _spend(log, name, amounts),
    )


def _read(branches: Facts | None) -> Facts | None:
    if branches is None:
        return None
    return {name: {**one, "state": values.read(one["state"])} for name, one in branches.items()}


def _opened(event: Facts | None) -> Facts | None:
    return {**event, "payload": values.opened(event["payload"])} if event else None


def _recorded(log: Log, name: str, function: Callable[[], Any]) -> Any:
    """A model's answer, the clock, randomness: stored once, read back when the node runs again."""
    if name not in log.position.recorded:
        kept = _kept(log, {"value": function()}, f"$.{name}")
        log.insist("value_recorded", {"name": name, **kept}, boundary=True)
    return values.opened(log.position.recorded[name])


def _plan_switched(log: Log, name: str, plan: Any) -> None:
    if f"plan:{name}" not in log.position.recorded:
        kept = _kept(log, {"plan": plan}, f"$.{name}")
        log.insist("plan_switched", {"name": name, **kept}, boundary=True)


def _spend(log: Log, name: str, amounts: Facts) -> None:
    if f"spent:{name}" not in log.position.recorded:
        log.insist("budget_spent", {"name": name, "spent": budgets.checked_spending(amounts)})


def _check_allowed(node: workflows.Node, said: Next) -> None:
    targets = {
        Go: lambda: [said.node],  # type: ignore[union-attr]
        Propose: lambda: [t for t in (said.then, said.otherwise) if t],  # type: ignore[union-attr]
        Wait: lambda: [t for t in (said.then, said.otherwise) if t],  # type: ignore[union-attr]
        Branch: lambda: [t for t in (said.then, said.otherwise) if t],  # type: ignore[union-attr]
        Finish: list,
    }.get(type(said))
    if targets is None:
        raise OutsideFailed(f"The node {node.name!r} returned {said!r}.")
    strangers = set(targets()) - set(node.to)
    if strangers or (isinstance(said, Finish) and not node.ends):
        raise OutsideFailed(
            f"The node {node.name!r} may not go to {', '.join(sorted(strangers)) or 'the end'}."
        )


def _kept(log: Log, said: Facts, path: str = "") -> Facts:
    """What a node has kept is found again as it was, or not kept at all. What is large is kept
    beside the log."""
    said = {name: values.whole(value) for name, value in said.items()}
    try:
        return _looked_through(log, said, path)
    except BadInput as problem:
        raise OutsideFailed(f"{problem.path}: {problem}") from problem


def _looked_through(log: Log, said: Facts, path: str) -> Facts:
    paths = {name: path or f"$.{name}" for name in said}
    if not references.surely_light(said):
        packed_each = {name: coming_back(value, paths[name]) for name, value in said.items()}
        return log.lightened(said, packed_each)
    for name, value in said.items():
        must_come_back(value, paths[name])
    return said


def _follow(log: Log, said: Next) -> None:
    if isinstance(said, Go):
        log.write("run_moved", {"node": said.node, "set": _kept(log, said.changes)})
    elif isinstance(said, Propose):
        _request(log, said)
    elif isinstance(said, Wait):
        log.write("wait_begun", outside(lambda: said.begun(clock.now())))
    elif isinstance(said, Branch):
        _branch(log, said)
    else:
        end(log, "completed", changes=_kept(log, said.changes))


def _branch(log: Log, said: Branch) -> None:
    try:
        branching.begin(log, said)
    except BudgetExhausted as problem:
        pause(log, "budget_exhausted", problem.message)


def _request(log: Log, said: Propose) -> None:
    action = actions.get(said.action)
    actions.must_be_justified(action, said.rollback_reason)
    log.write(
        "request_taken_up",
        {
            "new_step": True,
            "step_id": f"{log.position.visit}:{log.position.ordinal + 1}",
            "proposal_id": str(uuid.uuid4()),
            "version": 1,
            "action": action.name,
            "action_version": action.version,
            "arguments": actions.freeze(action, said.arguments).decode(),
            "why": said.why,
            "evidence": _kept_evidence(log, said.evidence),
            "rollback_reason": said.rollback_reason,
            "then": said.then,
            "otherwise": said.otherwise,
        },
    )


def _kept_evidence(log: Log, evidence: Iterable[Any]) -> list[Any]:
    """The pieces that are large are kept beside the log."""
    pieces = {str(number): as_said(piece) for number, piece in enumerate(evidence)}
    return list(log.lightened(pieces).values())
