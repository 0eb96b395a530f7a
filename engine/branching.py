"""A run branches: each leg becomes a run of its own, with a part of the budget that is left."""

import uuid
from typing import Any

from . import budgets, checkpointing, clock, hints, workflows
from .branches import Branch, Leg
from .crashpoints import reach
from .errors import BadInput
from .eventlog import ACTOR, Log
from .identity import uuid7
from .store import branches
from .types import Facts, Position


def begin(log: Log, said: Branch) -> None:
    """Accept every branch and wait for them, in one commit: all of them exist, or none does.

    Raises BadInput for a workflow that there is not or that nobody branches into, BudgetExhausted
    where the budget has not enough left, Conflict where a workflow comes again below itself.
    """
    used = budgets.spent(log.position.budget, {"seconds": log.worked()})
    limits = budgets.divided(used, {name: leg.budget for name, leg in said.legs.items()})
    made = [_made(log, name, leg, limits[name]) for name, leg in said.legs.items()]
    begun = {**said.begun(clock.now()), "branches": {one["branch"]: _named(one) for one in made}}
    log.write("branches_begun", begun, boundary=True, through=branches.begin_branches(made))
    reach("branched")
    for one in made:
        hints.hint(uuid.UUID(one["run_id"]))


def _made(log: Log, name: str, leg: Leg, limits: Facts) -> dict[str, Any]:
    position, state = log.position, log.lightened(leg.state)
    run_id, facts = uuid7(), {**_accepted(position, leg, limits), "state": state}
    inherited = {"initiator": position.initiator, "parent": str(position.run_id), "branch": name}
    checkpoint = checkpointing.first(run_id, ACTOR, {**facts, **inherited})
    return {"branch": name, "run_id": str(run_id), "accepted": facts, "checkpoint": checkpoint}


def _accepted(position: Position, leg: Leg, limits: Facts) -> dict[str, Any]:
    graph = workflows.get(leg.workflow, leg.version)
    if graph.open_ended or graph.internal:
        raise BadInput(f"The workflow {leg.workflow!r} is not one to branch into.")
    return {
        "workflow": graph.name,
        "workflow_version": graph.version,
        "node": graph.start,
        "searchable": graph.searchable,
        "stands_on": graph.stands_on,
        "budget": limits,
        "inherited": {"done_after": list(position.done_elsewhere)},
    }


def _named(one: Facts) -> dict[str, Any]:
    kept = ("workflow", "workflow_version", "budget")
    return {"run_id": one["run_id"], **{name: one["accepted"][name] for name in kept}}
