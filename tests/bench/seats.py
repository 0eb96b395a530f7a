"""The seats as the bench sees them: processes that are told to make a lap and tell how it was."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from .load import Load

PROJECT = Path(__file__).resolve().parent.parent.parent
_INSTALL_SECONDS = 120
_LEAVE_SECONDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap:
    """`steps` are the seconds of each transition, run by run; `cpu` that of the clients."""

    seconds: float
    cpu: float
    steps: list[list[float]]

    @property
    def transitions(self) -> int:
        return sum(map(len, self.steps))

    @property
    def rate(self) -> float:
        """Durable transitions a second."""
        return self.transitions / self.seconds

    def latencies(self, *, after: int = 0) -> list[float]:
        """In order; of each run only those after so many nodes."""
        return sorted(seconds for run in self.steps for seconds in run[after:])


class Seats:
    """All processes of one contestant, on one database."""

    def __init__(self, name: str, url: str, count: int) -> None:
        self.name, self.url = name, url
        _process(name, url, "install").wait(_INSTALL_SECONDS)
        self._processes = [_process(name, url, str(number)) for number in range(count)]
        for process in self._processes:
            self._heard(process)

    @classmethod
    @contextmanager
    def taken(cls, name: str, url: str, count: int) -> Iterator[Self]:
        seats = cls(name, url, count)
        try:
            yield seats
        finally:
            seats.leave()

    def lap(self, load: Load, runs: int, *, processes: int = 1, threads: int = 1) -> Lap:
        """So many runs in each of the first `processes`, at the same time."""
        working = self._processes[:processes]
        order = {"load": load.as_facts(), "runs": runs, "threads": threads}
        for process in working:
            assert process.stdin
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        told = [self._heard(process) for process in working]
        return Lap(
            seconds=max(one["seconds"] for one in told),
            cpu=sum(one["cpu"] for one in told),
            steps=[run for one in told for run in one["made"]],
        )

    def runs_in(self, seconds: float, load: Load, **shape: int) -> int:
        """About how many runs each process makes in that time; to find out warms them up."""
        self.lap(load, shape.get("threads", 1), **shape)
        tried = self.lap(load, 3 * shape.get("threads", 1), **shape)
        return max(2, round(seconds * tried.rate / load.nodes / shape.get("processes", 1)))

    def leave(self) -> None:
        for process in self._processes:
            assert process.stdin
            process.stdin.close()
        for process in self._processes:
            try:
                process.wait(_LEAVE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()

    def _heard(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        assert process.stdout
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended with code {process.wait()}; see above.")
        return dict(json.loads(line))


def _process(name: str, url: str, what: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.bench.seat", name, url, what]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=PROJECT)


def quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
