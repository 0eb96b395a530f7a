"""What a transition costs when the state is large: all of it changing, and a little of it."""

from contextlib import ExitStack
from statistics import median
from typing import Any

from tests.bench.contestants import EVERYBODY, PLACET
from tests.bench.ground import Ground
from tests.bench.load import Load
from tests.bench.plan import Plan
from tests.bench.seats import Lap, Seats, quantile

SIZES = (2_000, 50_000, 500_000)
_SET_UP = 2
"""Nodes after which a run has set its state, and has been read once."""


def measure(ground: Ground, plan: Plan) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        everybody = {
            name: stack.enter_context(Seats.taken(name, ground.database(f"{name}_sizes"), 1))
            for name in EVERYBODY
        }
        return [
            {"size": size, "whole": whole, **_of(ground, everybody, size, whole, plan)}
            for whole in (True, False)
            for size in SIZES
        ]


def _of(
    ground: Ground, everybody: dict[str, Seats], size: int, whole: bool, plan: Plan
) -> dict[str, Any]:
    load = Load(size=size, whole=whole)
    plan.say(f"{size:,} characters, {'all of them' if whole else 'a hundred'} changing")
    runs = {name: seats.runs_in(plan.lap_seconds / 2, load) for name, seats in everybody.items()}
    rounds: list[dict[str, Lap]] = [
        {name: everybody[name].lap(load, runs[name]) for name in plan.in_turn(EVERYBODY, turn)}
        for turn in range(plan.rounds)
    ]
    return {
        name: {
            "p50": median(_step(laps[name]) for laps in rounds),
            "ratio": median(_step(laps[name]) / _step(laps[PLACET]) for laps in rounds),
            "wal": _wal(ground, seats, load, plan.counted_runs // 4 or 1),
        }
        for name, seats in everybody.items()
    }


def _step(lap: Lap) -> float:
    """Milliseconds of the median transition of a run that has its state."""
    return 1000 * quantile(lap.latencies(after=_SET_UP), 0.5)


def _wal(ground: Ground, seats: Seats, load: Load, runs: int) -> float:
    """Bytes a transition, from the difference of long runs and short ones: what a run costs once,
    to begin and to set its state, falls out."""
    short = Load(size=load.size, whole=load.whole, nodes=_SET_UP)
    seats.lap(short, 1)
    more = ground.wal(lambda: seats.lap(load, runs)) - ground.wal(lambda: seats.lap(short, runs))
    return more / runs / (load.nodes - _SET_UP)
