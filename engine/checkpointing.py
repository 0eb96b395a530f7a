"""Save a position as a checkpoint, and restore it only when its checksum matches."""

import json
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from . import folding
from .canonical import packed_text, sha256_hex
from .errors import DamagedCheckpoint, Incompatible
from .references import is_reference
from .types import IN_SNAPSHOT, Event, Facts, Pending, Position

SCHEMA_VERSION = 1
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?")
EVERY = 20
"""A checkpoint is saved at least every this many events."""


def saved(position: Position) -> dict[str, Any]:
    """The columns of a checkpoint that only the worker knows, as canonical JSON text."""
    snapshot = {name: getattr(position, name) for name in IN_SNAPSHOT}
    pending = position.pending.as_facts() if position.pending else None
    return {
        "state_snapshot": packed_text(snapshot),
        "pending_action": packed_text(pending),
        "completed_effects": packed_text(position.completed),
        "budget_snapshot": packed_text(position.budget),
        "schema_version": SCHEMA_VERSION,
        "searchable": _searchable(position),
    }


def first(run_id: uuid.UUID, actor: str, accepted: Facts) -> dict[str, Any]:
    """What `saved` gives for a run of which no more is known than that it was accepted."""
    event = Event(
        run_id=run_id,
        seq=1,
        kind="run_accepted",
        actor=actor,
        at="",
        payload=accepted,
        hash="",
    )
    return saved(folding.fold(None, event))


def _searchable(position: Position) -> list[dict[str, str | None]]:
    """The fields that the workflow declares, as text and, where they are numbers, as numbers."""
    declared = position.searchable.items()
    found = [(name, kind, position.state.get(name)) for name, kind in declared]
    return [
        {"name": name, "text": _as_text(value), "number": _as_number(kind, value)}
        for name, kind, value in found
        if value is not None
    ]


def _as_text(value: Any) -> str:
    """What is too large to stand here is found by its name alone."""
    if is_reference(value):
        return str(value["$value"])
    return value if isinstance(value, str) else packed_text(value)


def _as_number(kind: str, value: Any) -> str | None:
    text = _as_text(value)
    return text if kind == "number" and _NUMBER.fullmatch(text) else None


def checksum(run_id: uuid.UUID | str, checkpoint: Facts) -> str:
    """SHA-256 (hex) over the checkpoint's columns as one JSON array, as the door makes it."""
    parts = (
        _quoted(checkpoint["checkpoint_id"]),
        _quoted(run_id),
        str(checkpoint["state_version"]),
        _quoted(checkpoint["current_node"]),
        _quoted(checkpoint["status"]),
        checkpoint["state_snapshot"],
        str(checkpoint["last_event_sequence"]),
        checkpoint["pending_action"],
        checkpoint["completed_effects"],
        checkpoint["budget_snapshot"],
        _quoted(checkpoint["created_at"]),
        str(checkpoint["schema_version"]),
    )
    return sha256_hex(f"[{','.join(parts)}]".encode())


def _quoted(text: object) -> str:
    return json.dumps(str(text), ensure_ascii=False)


Saved = dict[str, Any]
"""A checkpoint's JSON columns, read: state_snapshot, pending_action, completed_effects,
budget_snapshot."""

Migration = Callable[[Saved], Saved]
_migrations: dict[int, Migration] = {}


def migrates(schema_version: int) -> Callable[[Migration], Migration]:
    """Register what turns a checkpoint of that schema version into one of the next."""

    def register(migration: Migration) -> Migration:
        _migrations[schema_version] = migration
        return migration

    return register


def restored(run_id: uuid.UUID, case: Facts) -> Position:
    """The position that the checkpoint in a claimed case holds.

    Raises DamagedCheckpoint when the checksum does not match, Incompatible for a schema that
    nothing migrates, and for what only newer code can have saved.
    """
    checkpoint: Mapping[str, Any] = case["checkpoint"]
    if checksum(run_id, checkpoint) != checkpoint["checksum"]:
        name = checkpoint["checkpoint_id"]
        raise DamagedCheckpoint(f"Checkpoint {name} does not match its checksum.")
    saved = _migrated({name: json.loads(checkpoint[name]) for name in _READ}, checkpoint)
    pending = saved["pending_action"]
    snapshot = {"workflow_version": case["workflow_version"], **saved["state_snapshot"]}
    if unknown := sorted(set(snapshot) - set(IN_SNAPSHOT)):
        raise Incompatible(f"A checkpoint of newer code holds {', '.join(unknown)}.")
    for name in ("requests", "done_elsewhere"):
        snapshot[name] = tuple(snapshot[name])
    return Position(
        run_id=run_id,
        workflow=case["workflow"],
        initiator=case["initiator"],
        seq=checkpoint["last_event_sequence"],
        head=checkpoint["folded_hash"],
        state_version=checkpoint["state_version"],
        status=checkpoint["status"],
        node=checkpoint["current_node"],
        pending=Pending.from_facts(pending) if pending else None,
        completed=saved["completed_effects"],
        budget=saved["budget_snapshot"],
        **snapshot,
    )


_READ = ("state_snapshot", "pending_action", "completed_effects", "budget_snapshot")


def _migrated(saved: Saved, checkpoint: Facts) -> Saved:
    """Brought up to this code's schema, step by step; what nothing migrates is never guessed."""
    version = checkpoint["schema_version"]
    while version != SCHEMA_VERSION:
        if version not in _migrations:
            raise Incompatible(f"Checkpoint schema {version} is not known here.")
        saved = _migrations[version](saved)
        version += 1
    return saved
