"""Which kills there are, and what is known of one when it has happened."""

import uuid
from dataclasses import dataclass

from engine.crashpoints import POINTS

from .claim import EFFECTS

FORWARD, BACK = "forward", "back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """Where the worker is killed: at which point of the nth of three effects or rollbacks."""

    way: str
    point: str
    nth: int

    @property
    def name(self) -> str:
        return f"{self.way}:{self.point}:{self.nth}"


KILLS = tuple(
    Kill(way=way, point=point, nth=nth)
    for way in (FORWARD, BACK)
    for point in POINTS
    for nth in range(1, EFFECTS + 1)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """What was killed: `seq` is how many events the run had then, `at` the clock."""

    kill: Kill
    run_id: uuid.UUID
    pid: int
    seq: int
    at: float
