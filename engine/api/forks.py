"""A new run from any point of another: what was decided there is not inherited, nor what it did."""

import uuid
from typing import Any

from engine import checkpointing, conf, history, values, versions
from engine.canonical import packed
from engine.errors import BadInput, Conflict, Incompatible, NotFound
from engine.hints import hint
from engine.identity import uuid7
from engine.models import Run
from engine.store import forks
from engine.types import Facts, Position

from .reasons import must_have_a_reason
from .who import Reviewer


def fork_run(run_id: uuid.UUID, seq: int, *, operator: Reviewer, reason: str) -> uuid.UUID:
    """Start a new run where `run_id` stood after event `seq`, and name its origin.

    Proposals are not inherited: the node is entered anew and proposes for itself, under keys of
    its own. What the origin committed after `seq` is told to whoever decides a repetition.
    Raises NotFound, Damaged, NotPermitted; Conflict while an effect of the origin is unsettled, and
    where it waited for branches.
    """
    must_have_a_reason(reason)
    origin = Run.objects.filter(run_id=run_id).first()
    if origin is None:
        raise NotFound("There is no such run.")
    position = history.position_at(run_id, seq)
    _must_be_runnable(position)
    _must_be_between_branches(position)
    state, kept = values.lightened(position.state)
    facts = {**_facts(origin, position, operator, reason), "state": state}
    new = uuid7()
    checkpoint = checkpointing.first(new, operator.actor, facts)
    bodies = [large.body for large in kept]
    forks.fork_run(run_id, new, operator.actor, packed(facts), checkpoint, bodies)
    hint(new)
    return new


def _must_be_runnable(position: Position) -> None:
    if position.workflow.startswith("system."):
        raise BadInput("The installation's own logs are not runs of a workflow.", path="$.run")
    graph = versions.goes_on_under(position)
    if graph is None:
        raise Incompatible(f"Nothing goes on from version {position.workflow_version} here.")
    if graph.internal:
        raise BadInput("A rollback is not forked; have it authorised anew.", path="$.run")


def _must_be_between_branches(position: Position) -> None:
    """A node that is entered anew branches anew, and nobody would be told what was done."""
    if position.wait is not None and position.wait["what"] == "branches":
        raise Conflict(
            "Here the run waits for its branches. Fork it before it branched, or where it goes on "
            "after them; or fork one of the branches."
        )


def _facts(origin: Run, position: Position, operator: Reviewer, reason: str) -> dict[str, Any]:
    return {
        "workflow": position.workflow,
        "workflow_version": position.workflow_version,
        "node": position.node,
        "searchable": position.searchable,
        "stands_on": position.stands_on,
        "labels": origin.labels,
        "budget": position.budget.get("limits", conf.default_budget()),
        "initiator": origin.initiator,
        "initiator_person": origin.initiator_person_id,
        "forked_from": f"{origin.run_id}@{position.seq}",
        "forked_by": operator.person_id,
        "forked_by_name": operator.name,
        "origin_seq": origin.last_seq,
        "reason": reason,
        "inherited": _inherited(origin, position),
    }


def _inherited(origin: Run, position: Position) -> Facts:
    spent = {name: value for name, value in position.budget.items() if name != "limits"}
    return {
        "visits": position.visits,
        "ordinal": position.ordinal,
        "recorded": position.recorded,
        "completed": position.completed,
        "event": position.event,
        "branches": position.branches,
        "spent": spent,
        "done_after": list(forks.effects_committed_after(origin.run_id, position.seq)),
    }
