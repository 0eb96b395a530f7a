"""Durable transitions: how many a second, how long each, and what each writes."""

from contextlib import ExitStack
from statistics import median
from typing import Any

from tests.bench.contestants import EVERYBODY, PLACET
from tests.bench.floor import CLIENTS, Floor
from tests.bench.ground import Ground
from tests.bench.load import Load
from tests.bench.plan import Plan
from tests.bench.seats import Lap, Seats, quantile

SIZE = 2_000
PROCESSES, THREADS = 2, 8
SHAPES: dict[str, dict[str, int]] = {
    "one": {"processes": 1, "threads": 1},
    "many": {"processes": PROCESSES, "threads": THREADS},
}
FLOOR = "floor"


def measure(ground: Ground, plan: Plan) -> dict[str, Any]:
    load = Load(size=SIZE)
    with ExitStack() as stack:
        everybody = {
            name: stack.enter_context(Seats.taken(name, ground.database(name.lower()), PROCESSES))
            for name in EVERYBODY
        }
        rounds = _rounds(everybody, load, plan)
        written = _written(ground, everybody, load, plan)
    return {
        "shapes": {shape: _shaped(laps) for shape, laps in rounds.items()},
        "written": written,
    }


def _rounds(
    everybody: dict[str, Seats], load: Load, plan: Plan
) -> dict[str, list[dict[str, Lap | float]]]:
    """Everybody in turn, again and again; who begins is another each time."""
    runs = {
        (name, shape): seats.runs_in(plan.lap_seconds, load, **many)
        for name, seats in everybody.items()
        for shape, many in SHAPES.items()
    }
    floor = Floor(everybody[PLACET].url, SIZE)
    rounds: dict[str, list[dict[str, Lap | float]]] = {shape: [] for shape in SHAPES}
    for turn in range(plan.rounds):
        for shape, many in SHAPES.items():
            clients = CLIENTS if shape == "many" else 1
            laps: dict[str, Lap | float] = {
                FLOOR: floor.rate(clients, max(1, round(plan.lap_seconds)))
            }
            for name in plan.in_turn(EVERYBODY, turn):
                laps[name] = everybody[name].lap(load, runs[name, shape], **many)
            rounds[shape].append(laps)
            plan.say(f"{shape}, round {turn + 1}: {_told(laps)}")
    return rounds


def rate(lap: Lap | float) -> float:
    return lap.rate if isinstance(lap, Lap) else lap


def _told(laps: dict[str, Lap | float]) -> str:
    return ", ".join(f"{name} {rate(lap):,.0f}/s" for name, lap in laps.items())


def _shaped(rounds: list[dict[str, Lap | float]]) -> dict[str, Any]:
    """Medians of the rounds; a ratio is the median of each round's own."""
    return {
        name: {
            "rate": median(rate(laps[name]) for laps in rounds),
            "ratio": median(rate(laps[PLACET]) / rate(laps[name]) for laps in rounds),
            **_clients([lap for laps in rounds if isinstance(lap := laps[name], Lap)]),
        }
        for name in rounds[0]
    }


def _clients(laps: list[Lap]) -> dict[str, float]:
    """Latencies in milliseconds; CPU seconds of the clients for each 1,000 transitions."""
    if not laps:
        return {}
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {
        **{
            name: median(1000 * quantile(lap.latencies(), share) for lap in laps)
            for name, share in shares.items()
        },
        "cpu": median(1000 * lap.cpu / lap.transitions for lap in laps),
    }


def _written(
    ground: Ground, everybody: dict[str, Seats], load: Load, plan: Plan
) -> dict[str, dict[str, float]]:
    """By laps of their own, each counted as a whole."""
    databases = {name: name.lower() for name in everybody}
    before = ground.commits(databases.values())
    counted: dict[str, dict[str, float]] = {}
    for name, seats in everybody.items():
        laps: list[Lap] = []
        plan.say(f"what {name} writes")
        written = ground.written(
            databases[name],
            lambda seats=seats, laps=laps: laps.append(seats.lap(load, plan.counted_runs)),  # type: ignore[misc]
        )
        made = laps[0].transitions
        counted[name] = {
            "wal": written.wal / made,
            "table": written.table / made,
            "statements": written.statements / made,
        }
    after = ground.commits(databases.values())
    for name, database in databases.items():
        made = plan.counted_runs * load.nodes
        counted[name]["commits"] = (after[database] - before[database]) / made
    return counted
