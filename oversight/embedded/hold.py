"""A place to be told that a process stands at a crash point, so that it can really be killed."""

import os
import select
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .waiting import PATIENCE_SECONDS


class Hold:
    """Processes started with `environment` stop at `point`, the nth time, and say so here."""

    def __init__(self, point: str, fifo: Path, reading: int, nth: int) -> None:
        self.point = point
        self.environment: Mapping[str, str] = {
            "PLACET_HOLD": point,
            "PLACET_HOLD_FIFO": str(fifo),
            "PLACET_HOLD_NTH": str(nth),
        }
        self._reading = reading
        self._said = b""

    def pids(self, count: int = 1, seconds: float = PATIENCE_SECONDS) -> list[int]:
        """Wait until so many processes stand at the point. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while self._said.count(b"\n") < count:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._reading], [], [], left)[0]:
                raise TimeoutError(f"nobody came to {self.point!r} in {seconds:g} s")
            self._said += os.read(self._reading, 4096)
        return [int(line.split()[1]) for line in self._said.splitlines()]


@contextmanager
def hold(point: str, folder: Path, *, nth: int = 1) -> Iterator[Hold]:
    """A hold where a process comes to `point` for the nth time, its FIFO in `folder`, until the
    block ends."""
    fifo = folder / f"hold-{point}"
    os.mkfifo(fifo, 0o600)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    # A writing end of our own: without one, the FIFO would end whenever a process dies.
    writing = os.open(fifo, os.O_WRONLY)
    try:
        yield Hold(point, fifo, reading, nth)
    finally:
        os.close(writing)
        os.close(reading)
        fifo.unlink()
