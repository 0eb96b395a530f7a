"""Whether the rows of a run are what its log says, and every checkpoint agrees with both."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine import history
from engine.models import Checkpoint, Effect, Run
from engine.types import Position

from .layers import Fact

Row = tuple[str, int, str | None, bool]
"""Status, attempt, verification, and whether it is committed."""


def faults(run_id: uuid.UUID, log: Sequence[Fact]) -> list[str]:
    """What does not agree, in words; nothing if all does."""
    return [*_of_the_run(run_id), *_of_its_effects(run_id, log), *_of_its_checkpoints(run_id)]


def _of_the_run(run_id: uuid.UUID) -> Iterator[str]:
    run, position = Run.objects.get(pk=run_id), history.replayed(run_id)
    pairs = {
        "status": (run.status, position.status),
        "node": (run.current_node, position.node),
        "state_version": (run.state_version, position.state_version),
        "budget": (_limits(run.budget), _limits(position.budget)),
        "last_seq": (run.last_seq, position.seq),
        "head": (bytes(run.head).hex(), position.head),
    }
    for name, (stored, folded) in pairs.items():
        if stored != folded:
            yield f"run {name}: stored {stored!r}, by its log {folded!r}"


def _limits(budget: Any) -> Any:
    return budget.get("limits", budget)


def _of_its_effects(run_id: uuid.UUID, log: Sequence[Fact]) -> Iterator[str]:
    rows = {
        str(one.effect_id): (one.status, one.attempt, one.verification, bool(one.committed_at))
        for one in Effect.objects.filter(run_id=run_id)
    }
    by_log = effects_by(log)
    for effect in rows.keys() | by_log.keys():
        if rows.get(effect) != by_log.get(effect):
            yield f"effect {effect}: stored {rows.get(effect)}, by the log {by_log.get(effect)}"


def effects_by(log: Sequence[Fact]) -> dict[str, Row]:
    """The effects that these events leave behind."""
    found: dict[str, Row] = {}
    for fact in log:
        effect = fact.said.get("effect_id")
        if fact.kind == "effect_prepared":
            found[str(effect)] = ("prepared", 1, None, False)
        elif effect in found:
            found[effect] = _after(found[effect], fact)
        compensates = fact.said.get("compensates")
        if fact.kind == "effect_committed" and compensates in found:
            found[compensates] = ("compensated", *found[compensates][1:])
    return found


def _after(row: Row, fact: Fact) -> Row:
    status, attempt, verification, committed = row
    match fact.kind:
        case "effect_intended":
            status = "executing"
        case "effect_recorded" | "effect_reconciled":
            status = fact.said["status"]
            attempt += status == "prepared"
        case "effect_verified":
            verification = fact.said["verification"]
        case "effect_committed":
            committed = True
        case "effect_compensated":
            status = "compensated"
    return status, attempt, verification, committed


def _of_its_checkpoints(run_id: uuid.UUID) -> Iterator[str]:
    """Every one has its checksum, and the newest one leads to where the whole log leads."""
    for checkpoint in Checkpoint.objects.filter(run_id=run_id):
        if not history.matches_checksum(checkpoint):
            yield f"checkpoint {checkpoint.checkpoint_id} does not match its checksum"
    by_log = history.replayed(run_id)
    if _plain(history.position_at(run_id, by_log.seq)) != _plain(by_log):
        yield "the newest checkpoint leads elsewhere than the log"


def _plain(position: Position) -> Position:
    """What a checkpoint keeps; the hash before it is the chain's affair."""
    return replace(position, head="")
