"""What a node may have its run branch into: runs of other workflows, side by side, and a join.

A branch is a run of its own: what it proposes is decided by itself. The run that branches waits
until none of its branches lives any more, and goes on with what each has come to.
"""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from . import budgets, conf, values
from .canonical import must_come_back
from .types import Facts

NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One branch: a run of that workflow, which begins with this state and has this budget.

    A limit that `budget` does not name is an equal share of what the run has left.
    """

    workflow: str
    state: Facts = field(default_factory=dict)
    version: int | None = None
    budget: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Branch into these runs, by name; go on at `then` when each has ended, in whatever way.

    Those that live when the time is up are asked to end. The run waits for that, too, and goes on
    at `otherwise`; without that it is cancelled.
    """

    legs: Mapping[str, Leg]
    then: str
    end: timedelta
    otherwise: str | None = None

    def begun(self, now: datetime) -> dict[str, Any]:
        """The facts of a wait for these branches that begins `now`."""
        facts = {
            "wait_id": str(uuid.uuid4()),
            "what": "branches",
            "until": (now + self.end).isoformat(),
            "then": self.then,
            "otherwise": self.otherwise,
        }
        return {name: value for name, value in facts.items() if value is not None}


def leg(
    workflow: str, state: Facts | None = None, *, version: int | None = None, **limits: Any
) -> Leg:
    """One branch of `branch`; `limits` are those of a budget: `max_effects=2`, `max_money="9"`."""
    given = values.whole(state or {})
    must_come_back(given, "$.state")
    return Leg(workflow=workflow, state=given, version=version, budget=budgets.checked(limits))


def branch(
    legs: Mapping[str, Leg], *, then: str, expires: timedelta, otherwise: str | None = None
) -> Branch:
    """Branch into these runs; the node `then` finds in `ctx.branches` what each has come to.

    Names are letters, digits, `_`, `.` and `-`. Raises ValueError for too many branches
    (`PLACET_MAX_BRANCHES`), or none.
    """
    if not 1 <= len(legs) <= conf.max_branches():
        raise ValueError(f"A run branches into 1 to {conf.max_branches()} runs, not {len(legs)}.")
    for name in legs:
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name for a branch: letters, digits, '_', '.', '-'.")
    if not isinstance(expires, timedelta) or expires <= timedelta():
        raise ValueError("Branches need an expiry, as a timedelta above nothing.")
    return Branch(legs=dict(legs), then=then, end=expires, otherwise=otherwise)
