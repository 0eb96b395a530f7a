"""Where a run stood, as one value to be shown and compared: from a checkpoint, or folded anew."""

from collections.abc import Mapping
from typing import Any

from engine import api
from engine.canonical import packed
from engine.errors import PlacetError
from engine.references import LIMIT, is_reference
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


def alike(one: Whole, other: Whole) -> tuple[Whole, Whole]:
    """Both, so that what stands by reference on one side alone is compared as what it is."""
    return _opened_where_plain(one, other), _opened_where_plain(other, one)


def _opened_where_plain(whole: Whole, other: Whole) -> Whole:
    """What stood in the state before and stands beside it now is small enough to be read."""
    parts = {
        part: {name: _read_if_plain(value, other[part].get(name)) for name, value in held.items()}
        for part in ("state", "recorded")
        if isinstance(held := whole.get(part), dict) and isinstance(other.get(part), dict)
    }
    return {**whole, **parts}


def _read_if_plain(value: Any, other: Any) -> Any:
    if other is None or not is_reference(value) or is_reference(other):
        return value
    if int(value["bytes"]) > LIMIT:
        return value
    try:
        return literal.read(api.large_value(value["$value"]))
    except PlacetError:
        return value


def _opened(pending: Any) -> Any:
    """The frozen arguments as the JSON that they are, so that each is a row of its own."""
    if not isinstance(pending, dict) or "arguments" not in pending:
        return pending
    try:
        return {**pending, "arguments": literal.read(pending["arguments"])}
    except (ValueError, TypeError):
        return pending
