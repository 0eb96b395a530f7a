"""A run waits for its branches, and goes on with what each has come to.

It goes on only after all of them: so what they have used is known, and so is what they have done.
Whether their time is up the database's clock says, when the run is claimed.
"""

import uuid
from typing import Any

from . import eventlog, hints
from .crashpoints import reach
from .errors import Damaged
from .eventlog import Log
from .lifecycle import end
from .store import branches
from .types import Facts, Position


def wait_on_branches(log: Log) -> None:
    """Go on when they are joined; join them when all have ended; else have them end, or park."""
    wait = log.position.wait or {}
    if "joined" in wait:
        return _go_on(log, wait)
    ends = branches.ends_of_branches(run for run in _runs(wait).values())
    if all(one["ended"] for one in ends.values()):
        return _join(log, wait, ends)
    if "elapsed" in wait and "recalled" not in wait:
        return _recall(log, wait)
    _park(log, wait)


def _runs(wait: Facts) -> dict[str, uuid.UUID]:
    return {name: uuid.UUID(one["run_id"]) for name, one in wait["branches"].items()}


def _join(log: Log, wait: Facts, ends: Facts) -> None:
    """What has ended never changes: to read it needs nobody's row."""
    outcomes = {name: _outcome(log, name, run, ends[str(run)]) for name, run in _runs(wait).items()}
    log.write("branches_joined", {"wait_id": wait["wait_id"], "branches": outcomes}, boundary=True)
    reach("joined")


def _outcome(log: Log, name: str, run: uuid.UUID, ended: Facts) -> dict[str, Any]:
    position = _position(name, run)
    return {
        "run_id": str(run),
        "status": ended["status"],
        "reason_code": ended["reason_code"],
        "state": log.lightened(position.state),
        "spent": {what: used for what, used in position.budget.items() if what != "limits"},
    }


def _position(name: str, run: uuid.UUID) -> Position:
    try:
        return eventlog.stands(run)
    except Damaged as problem:
        raise Damaged(f"What the branch {name!r} came to: {problem.message}") from problem


def _go_on(log: Log, wait: Facts) -> None:
    if "elapsed" not in wait:
        log.write("run_moved", {"node": wait["then"]})
    elif "otherwise" in wait:
        log.write("run_moved", {"node": wait["otherwise"]})
    else:
        end(log, "cancelled", reason="expired")


def _recall(log: Log, wait: Facts) -> None:
    facts = {"wait_id": wait["wait_id"], "reason": "The time for these branches is up."}
    told = log.write("branches_recalled", facts)
    reach("recalled")
    hints.hint_at(told)


def _park(log: Log, wait: Facts) -> None:
    """Refused (Behind) when the last of them has ended meanwhile."""
    until = None if "elapsed" in wait else wait["until"]
    awaiting = {"what": "branches", **({"until": until} if until else {})}
    facts = {"status": "waiting_external", "awaiting": awaiting, "wake_at": until}
    log.write("run_parked", facts, boundary=True, through=branches.park_for_branches)
