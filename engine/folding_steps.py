"""What every fold of a worker's transition has in common: the part of `folding` that steps."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import budgets
from .types import Event, Facts, Position

Folded = Callable[[Position, Event], Position]


def stepped(position: Position, facts: Facts, **changes: Any) -> Position:
    """A worker's transition: the state version grows, status and node follow the payload."""
    changes.setdefault("status", facts.get("status", position.status))
    if "worked" in facts:
        budget = changes.get("budget", position.budget)
        changes["budget"] = budgets.spent(budget, {"seconds": facts["worked"]})
    return replace(position, state_version=position.state_version + 1, **changes)


def unchanged(position: Position, event: Event) -> Position:
    return position


def stepped_only(position: Position, event: Event) -> Position:
    return stepped(position, event.payload)


def arriving(position: Position, facts: Facts, **changes: Any) -> dict[str, Any]:
    """Changes with those of the workflow's state and, where a node is named, of entering it."""
    state = {**position.state, **facts.get("set", {})}
    for key in facts.get("unset", ()):
        state.pop(key, None)
    changes |= {"state": state, "failures": 0, "awaiting": None}
    node = facts.get("node")
    if node is None:
        return changes
    visits = {**position.visits, node: position.visits.get(node, 0) + 1}
    wait = position.wait or {}
    led = {"wait": None, "event": wait.get("event"), "branches": wait.get("joined")}
    entered = {"node": node, "visits": visits, "ordinal": 0, "recorded": {}}
    budget = budgets.spent(changes.get("budget", position.budget), {"steps": 1})
    return {**changes, **entered, **led, "budget": budget}
