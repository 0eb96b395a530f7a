"""Runs begun under other versions: one function here, one door in `versions.sql`, one commit."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.db import as_json

from .doors import call, worker_door

carry_over = worker_door("carry_over")
"""Take a run along to other versions; what was proposed under the old ones is void."""


def wake_runs_to_carry_over(from_: Sequence[Mapping[str, Any]], limit: int) -> int:
    """Wake runs whose open proposal will fall under this code; gives how many."""
    return int(call("wake_runs_to_carry_over", as_json(from_), limit))
