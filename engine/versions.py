"""What a run is pinned to, compared with what this code has; and how it is taken along.

Nothing is guessed. What was begun is settled first, with the version of the action that it was
sent with. Then, before the code is asked what comes next, every difference needs a carry-over of
its own, or the run waits for a person.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from . import actions, concealing, values, workflows
from .actions import Action
from .canonical import frozen, must_come_back, packed
from .errors import Incompatible
from .eventlog import Log
from .types import Facts, Pending, Position
from .workflows import Workflow

Value = TypeVar("Value")

ASKS_THE_CODE = frozenset(
    {"visit", "take_request", "open_proposal", "wait_for_decision", "prepare", "fire"}
)
"""Moves for which a run has to stand on what this code has. The others follow what was said before:
they settle an effect, or go where a node has sent the run already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What the run is pinned to (`was`) and what this code has (`now`); None for nothing."""

    what: str
    was: str | None
    now: str | None
    carried: bool

    def __str__(self) -> str:
        return f"{self.what} was {self.was or 'not named'}, this code has {self.now or 'none'}"

    def as_facts(self) -> Facts:
        return {"what": self.what, "was": self.was, "now": self.now}


def is_outdated(position: Position, move: str) -> bool:
    """Has the run to be taken along to other versions before this move?"""
    if move not in ASKS_THE_CODE or (position.pending and position.pending.is_rollback):
        return False
    return any(differences(position))


def differences(position: Position) -> Iterator[Difference]:
    """What the run, and the request that it has in hand, are pinned to and this code has not."""
    graph = goes_on_under(position)
    if graph is None or graph.version != position.workflow_version:
        was, now = position.workflow_version, graph or _newest(position.workflow)
        yield Difference(
            what=f"workflow:{position.workflow}",
            was=str(was),
            now=str(now.version) if now else None,
            carried=graph is not None,
        )
    yield from _other_pins(position, graph)
    yield from _other_action(position.pending)


def goes_on_under(position: Position) -> Workflow | None:
    """The graph the run goes on under: its own, or the newest that takes it along."""
    own = workflows.find(position.workflow, position.workflow_version)
    if own is not None:
        return own
    of_that_name = workflows.versions_of(position.workflow)
    takers = [one for one in of_that_name if position.workflow_version in one.carry_overs]
    return takers[-1] if takers else None


def _newest(name: str) -> Workflow | None:
    return next(reversed(workflows.versions_of(name)), None)


def everything() -> list[Facts]:
    """Whatever this code takes along: versions of workflows, what those stood on, actions."""
    graphs = workflows.registered().values()
    return [
        *(
            {"workflow": graph.name, "version": version}
            for graph in graphs
            for version in sorted(graph.carry_overs)
        ),
        *(
            {"workflow": graph.name, "version": graph.version, "what": what, "was": was}
            for graph in graphs
            for what, was in sorted(graph.replaced, key=str)
        ),
        *(
            {"action": action.name, "version": version}
            for action in actions.registered()
            for version in sorted(action.carries_over)
        ),
    ]


def _other_pins(position: Position, graph: Workflow | None) -> Iterator[Difference]:
    """Of models and prompts; what an agent has named is its own word."""
    if graph is None or graph.open_ended:
        return
    was, now = position.stands_on, graph.stands_on
    for what in sorted({*was, *now}):
        if was.get(what) != now.get(what):
            carried = (what, was.get(what)) in graph.replaced
            yield Difference(what=what, was=was.get(what), now=now.get(what), carried=carried)


def _other_action(pending: Pending | None) -> Iterator[Difference]:
    """Of a request of which nothing was sent; what was sent goes on as it was sent."""
    if pending is None or actions.find(pending.action, pending.action_version) is not None:
        return
    taker, of_that_name = _taker(pending), actions.versions_of(pending.action)
    newest = taker or next(reversed(of_that_name), None)
    yield Difference(
        what=f"action:{pending.action}",
        was=str(pending.action_version),
        now=str(newest.version) if newest else None,
        carried=taker is not None,
    )


def _taker(pending: Pending) -> type[Action] | None:
    """The newest version of the action that takes requests for that one."""
    of_that_name = actions.versions_of(pending.action)
    takers = [one for one in of_that_name if pending.action_version in one.carries_over]
    return takers[-1] if takers else None


def carry_over(log: Log) -> None:
    """Take the run along to this code's versions, in one commit.

    What was proposed and not sent is void and is asked anew: it was shown with other versions.
    Raises Incompatible where a difference has no carry-over, or where one does not work out.
    """
    position = log.position
    found = tuple(differences(position))
    missing = [str(one) for one in found if not one.carried]
    graph = goes_on_under(position)
    if missing or graph is None:
        raise Incompatible(f"Nothing carries this run over: {'; '.join(missing)}.")
    node, state = _arrival(position, graph)
    facts = {
        "workflow_version": graph.version,
        "stands_on": position.stands_on if graph.open_ended else graph.stands_on,
        "searchable": graph.searchable,
        "node": node,
        "state": log.lightened(state),
        "changed": [one.as_facts() for one in found],
        **_in_hand(position, graph, node),
    }
    log.write("versions_carried_over", facts, boundary=True)


def _arrival(position: Position, graph: Workflow) -> tuple[str, Facts]:
    """Where the run stands in the other graph, and with which state."""
    if graph.version == position.workflow_version:
        return position.node, position.state
    carried = graph.carry_overs[position.workflow_version]
    name = f"{graph.label()}, carry-over from version {carried.from_version}"
    copy = json.loads(packed(position.state))
    state = {name: values.opened(value) for name, value in copy.items()}
    node, state = _worked_out(name, lambda: _pair(*carried.function(position.node, state)))
    if node not in carried.to:
        raise Incompatible(f"{name}: it leads to {node!r}, which it does not name in `to`.")
    return node, state


def _pair(node: str, state: Any) -> tuple[str, dict[str, Any]]:
    must_come_back(state, "$")
    if type(state) is not dict:
        raise TypeError("the state is a dict")
    return node, state


def _worked_out(name: str, function: Callable[[], Value]) -> Value:
    """Whatever an integrator's function does, the run waits rather than goes on wrongly."""
    try:
        return function()
    except Exception as problem:
        raise Incompatible(f"{name}: {type(problem).__name__}: {problem}") from problem


def _in_hand(position: Position, graph: Workflow, node: str) -> Facts:
    """What becomes of the request in hand: which version of its proposal falls (`id`), and as which
    it goes on. It does not where the other graph would not go on from it: the node is asked afresh.
    """
    pending = position.pending
    if pending is None:
        return {"id": None, "proposal_id": None, "goes_on_as": None}
    shown = pending.stage != "requested"
    facts = {
        "id": pending.version_id if shown else None,
        "proposal_id": pending.proposal_id,
        "version": pending.version,
        "effect_id": pending.effect_id,
    }
    if not _still_leads_on(position, pending, graph, node):
        return {**facts, "goes_on_as": None}
    return {**facts, "goes_on_as": pending.version + (1 if shown else 0), **_carried(pending)}


def _still_leads_on(position: Position, pending: Pending, graph: Workflow, node: str) -> bool:
    if graph.version == position.workflow_version or graph.open_ended:
        return True
    leads_to = {name for name in (pending.then, pending.otherwise) if name is not None}
    return node == position.node and leads_to <= set(graph.nodes[node].to)


def _carried(pending: Pending) -> Facts:
    """The request as this code's version of its action takes it: validated, and frozen anew."""
    if actions.find(pending.action, pending.action_version) is not None:
        return {"action_version": pending.action_version, "arguments": pending.arguments}
    kind = _taker(pending)
    if kind is None:
        raise Incompatible(f"Nothing carries {pending.action} {pending.action_version} over.")
    name = f"Action {kind.label()}, carry-over from version {pending.action_version}"
    arguments = _worked_out(name, lambda: _refrozen(kind, pending))
    return {"action_version": kind.version, "arguments": arguments}


def _refrozen(kind: type[Action], pending: Pending) -> str:
    action = kind()
    carried = kind.carries_over[pending.action_version](json.loads(pending.arguments))
    must_come_back(carried, "$.arguments")
    actions.must_be_justified(action, pending.rollback_reason)
    return frozen(concealing.conceal(actions.thawed(action, packed(carried)))).decode()
