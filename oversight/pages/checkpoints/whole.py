"""Where a run stood, as one value to be shown and compared: from a checkpoint, or folded anew."""

from collections.abc import Mapping
from typing import Any

from engine.canonical import packed
from engine.types import IN_SNAPSHOT, Position
from oversight.pages.checkpoints.reads import Stored
from oversight.showing import literal

Whole = Mapping[str, Any]

_FIRST = ("state", "pending", "completed", "budget")
"""What a reader wants to see before the rest."""


def of_checkpoint(stored: Stored) -> Whole:
    """Raises ValueError where a column is not the JSON that was saved."""
    snapshot = literal.read(stored.state_snapshot)
    if not isinstance(snapshot, dict):
        raise ValueError("the snapshot of the state is no JSON object")
    parts = {
        **snapshot,
        "pending": literal.read(stored.pending_action),
        "completed": literal.read(stored.completed_effects),
        "budget": literal.read(stored.budget_snapshot),
    }
    return _whole(stored.status, stored.current_node, stored.state_version, parts)


def of_position(position: Position) -> Whole:
    """The same value that a checkpoint at this event would hold, digit for digit."""
    parts = {
        **{name: getattr(position, name) for name in IN_SNAPSHOT},
        "pending": position.pending.as_facts() if position.pending else None,
        "completed": position.completed,
        "budget": position.budget,
    }
    stored = literal.read(packed(parts))
    return _whole(position.status, position.node, position.state_version, stored)


def _whole(status: str, node: str, version: int, parts: Mapping[str, Any]) -> Whole:
    pending = _opened(parts["pending"])
    rest = {name: value for name, value in parts.items() if name not in _FIRST}
    return {
        "status": status,
        "node": node,
        "state_version": version,
        "state": parts["state"],
        "pending": pending,
        "completed": parts["completed"],
        "budget": parts["budget"],
        **rest,
    }


def _opened(pending: Any) -> Any:
    """The frozen arguments as the JSON that they are, so that each is a row of its own."""
    if not isinstance(pending, dict) or "arguments" not in pending:
        return pending
    try:
        return {**pending, "arguments": literal.read(pending["arguments"])}
    except (ValueError, TypeError):
        return pending
