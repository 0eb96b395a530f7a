"""What a scenario is, and what came of one."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one scenario.

    `target_effects` is what the ledger itself counted, `expected` what it had to count. `checks`
    names everything else that had to hold. `lost` and `doubled` count approved refunds that
    never happened, and that happened twice. `seconds` is how long it took to come through.
    """

    name: str
    outcome: str
    target_effects: int
    expected: int
    checks: Mapping[str, bool] = field(default_factory=dict)
    run_id: uuid.UUID | None = None
    pids: Mapping[str, int] = field(default_factory=dict)
    lost: int = 0
    doubled: int = 0
    seconds: float | None = None

    @property
    def passed(self) -> bool:
        return self.target_effects == self.expected and all(self.checks.values())

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "outcome": self.outcome,
            "target_effects": self.target_effects,
            "expected": self.expected,
            "passed": self.passed,
            "lost": self.lost,
            "doubled": self.doubled,
            "seconds": self.seconds,
            "run_id": str(self.run_id) if self.run_id else None,
            "pids": dict(self.pids),
            "checks": dict(self.checks),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One scenario: what it shows, in a sentence, and how it is played."""

    name: str
    shows: str
    play: Callable[[Stage], Result]
