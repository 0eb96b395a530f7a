"""How much is measured: the whole, or a quick form that shows that all of it works."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

_BEGAN = time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    rounds: int
    lap_seconds: float
    counted_runs: int
    effects: int
    idle_effects: int
    kills: int
    stored: tuple[int, ...]
    quick: bool = field(default=False)

    def say(self, what: str) -> None:
        """Tell whoever waits."""
        print(f"[{time.monotonic() - _BEGAN:5.0f} s] {what}", file=sys.stderr, flush=True)  # noqa: T201

    def in_turn(self, names: Sequence[str], turn: int) -> Sequence[str]:
        """The names, another one first at each turn."""
        first = turn % len(names)
        return [*names[first:], *names[:first]]


WHOLE = Plan(
    rounds=5,
    lap_seconds=2.0,
    counted_runs=40,
    effects=1_000,
    idle_effects=40,
    kills=5,
    stored=(10**5, 10**6),
)
LARGE = 5 * 10**6
QUICK = Plan(
    rounds=1,
    lap_seconds=0.3,
    counted_runs=3,
    effects=30,
    idle_effects=5,
    kills=1,
    stored=(10**3, 10**4),
    quick=True,
)
