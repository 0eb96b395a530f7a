"""The running parts of the demo, and what happens when one ends that nobody stopped."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from oversight.embedded import Child
from oversight.embedded.processes import beat, command, web, worker

_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 30.0
_SETTLED_SECONDS = 60.0
_UP_SECONDS = 60.0

Start = Callable[[Mapping[str, str]], Child]


class EssentialPartEnded(RuntimeError):
    """Something without which there is no demo ended by itself."""


class Part:
    """One process that should be running. `up` is what it says once it does.

    A part that is not `essential` is started again when it ends, after a wait in seconds that
    doubles each time it did not even run for a minute.
    """

    def __init__(self, name: str, start: Start, up: str, *, essential: bool = False) -> None:
        self.name = name
        self.essential = essential
        self._start = start
        self._up = up
        self._child: Child | None = None
        self._began = 0.0
        self._wait = _FIRST_WAIT_SECONDS
        self._due: float | None = None

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    def start(self, environment: Mapping[str, str]) -> int:
        """Start, and return the process id."""
        self._child = self._start(environment)
        self._began = time.monotonic()
        self._due = None
        return self._child.pid

    def wait_until_up(self) -> None:
        """Raises ChildEnded or TimeoutError if it does not get there within a minute."""
        if self._child:
            self._child.wait_for(self._up, _UP_SECONDS)

    def kill(self) -> None:
        """SIGKILL it and whatever it started."""
        if self._child:
            self._child.kill()

    def ask_to_end(self) -> None:
        if self._child:
            self._child.ask_to_end()

    def stop(self) -> None:
        if self._child:
            self._child.stop()
        self._child = None

    def ended(self) -> str | None:
        """If it ended by itself, since the last look, say how."""
        if self._child is None or self._child.exit_code is None:
            return None
        child, self._child = self._child, None
        child.kill()
        self._due = time.monotonic() + self._next_wait()
        lines = "\n    ".join(child.tail())
        return f"{self.name} ended by itself with code {child.exit_code}:\n    {lines}"

    def is_due(self) -> bool:
        """Whether it is time to start it again."""
        return self._due is not None and time.monotonic() >= self._due

    def _next_wait(self) -> float:
        ran = time.monotonic() - self._began
        wait = _FIRST_WAIT_SECONDS if ran > _SETTLED_SECONDS else self._wait
        self._wait = min(wait * 2, _LONGEST_WAIT_SECONDS)
        return wait


def all_parts(port: int, logs: Path) -> dict[str, Part]:
    """The parts by name, in the order in which they are started."""
    parts = (
        Part(
            "web",
            lambda env: web(env, port, log=logs / "web.log"),
            "Uvicorn running",
            essential=True,
        ),
        Part("worker", lambda env: worker(env, log=logs / "worker.log"), r"ready\."),
        Part("beat", lambda env: beat(env, log=logs / "beat.log"), "beat: Starting"),
        Part("agent", lambda env: command("demo_agent", env, log=logs / "agent.log"), "working at"),
    )
    return {part.name: part for part in parts}
