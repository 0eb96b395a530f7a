"""What a workflow stands on besides its graph, and what takes its runs along when that changes.

A run is pinned to the versions it was begun with: of its workflow, and of the models and prompts
that the workflow names. Under code that has others it goes on only where a carry-over says how.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .types import Facts

Carry = Callable[[str, Facts], tuple[str, Facts]]
"""The node and the state of a run → the node and the whole state with which it goes on. Pure: it
may run any number of times, and must not act outside."""

LONGEST = 200
"""Characters of a name or a version."""
MOST = 50
"""How many a run may stand on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryOver:
    """What takes a run of that version of a workflow along, and the nodes it may lead to."""

    from_version: int
    to: tuple[str, ...]
    function: Carry


def problem_with(stands_on: Mapping[str, str]) -> str | None:
    """Why these are no names and versions; None where they are."""
    if len(stands_on) > MOST:
        return f"A run stands on {MOST} things at most."
    for name, version in stands_on.items():
        if not _is_plain(name) or not _is_plain(version):
            return f"{name!r} and its version are one line of 1 to {LONGEST} characters."
    return None


def _is_plain(text: object) -> bool:
    return isinstance(text, str) and text.isprintable() and 1 <= len(text.strip()) <= LONGEST
