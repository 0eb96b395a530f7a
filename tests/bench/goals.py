"""What the engine is to reach, as ratios of one run, and whether it did."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .contestants import DBOS, LANGGRAPH, PLACET
from .parts.transitions import FLOOR

Results = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """`reached` against `wanted`; `most` where less is better."""

    what: str
    wanted: float
    reached: float
    unit: str
    most: bool = False

    @property
    def met(self) -> bool:
        return self.reached <= self.wanted if self.most else self.reached >= self.wanted

    @property
    def verdict(self) -> str:
        if self.met:
            return "met"
        if not self.wanted:
            return f"missed by {self.reached:g}"
        return f"missed by {abs(self.reached / self.wanted - 1):.0%}"


_TIMES = {
    "one": ("one worker", {DBOS: 10.0, LANGGRAPH: 6.0, FLOOR: 0.6}),
    "many": ("two processes of eight runs", {DBOS: 8.0, LANGGRAPH: 4.0, FLOOR: 0.4}),
}


def goals(results: Results) -> list[Goal]:
    """Of the parts that were measured."""
    makers = {
        "transitions": _of_transitions,
        "sizes": _of_sizes,
        "effects": _of_effects,
        "takeover": _of_takeover,
        "stored": _of_stored,
    }
    return [
        goal for part, make in makers.items() if part in results for goal in make(results[part])
    ]


def _of_transitions(found: Results) -> Iterator[Goal]:
    for shape, (words, wanted) in _TIMES.items():
        for name, times in wanted.items():
            reached = found["shapes"][shape][name]["ratio"]
            yield Goal(what=f"{words}, × {name}", wanted=times, reached=reached, unit="×")
    wal = found["written"][PLACET]["wal"]
    yield Goal(
        what="WAL of a transition at 2 kB", wanted=2_400, reached=wal, unit="bytes", most=True
    )


def _of_sizes(found: list[Results]) -> Iterator[Goal]:
    little = {one["size"]: one[PLACET]["p50"] for one in found if not one["whole"]}
    smallest, largest = min(little), max(little)
    yield Goal(
        what=f"100 bytes changing: a state of {largest // 1000} kB, × one of {smallest // 1000} kB",
        wanted=1.15,
        reached=little[largest] / little[smallest],
        unit="×",
        most=True,
    )
    for one in found:
        if one["whole"] and one["size"] > smallest:
            what = f"all of {one['size'] // 1000} kB changing, × {LANGGRAPH}"
            yield Goal(what=what, wanted=6.0, reached=one[LANGGRAPH]["ratio"], unit="×")


def _of_effects(found: Results) -> Iterator[Goal]:
    yield Goal(
        what="approved effects committed a second", wanted=300, reached=found["rate"], unit="/s"
    )
    idle = found["p50"]
    yield Goal(
        what="approved → committed when idle, p50", wanted=30, reached=idle, unit="ms", most=True
    )


def _of_takeover(found: Results) -> Iterator[Goal]:
    yield Goal(
        what=f"SIGKILL → taken over, the worst, at a lease of {found['lease']:g} s",
        wanted=found["lease"] + 5,
        reached=found["worst"],
        unit="s",
        most=True,
    )
    yield Goal(
        what="effects repeated", wanted=0, reached=found["repeated"], unit="effects", most=True
    )


def _of_stored(found: Results) -> Iterator[Goal]:
    least, *more = found
    for count in more:
        what = f"dearer with {int(count):,} events than with {int(least):,}"
        reached = 100 * found[count]["more"]
        yield Goal(what=what, wanted=15, reached=reached, unit="%", most=True)
