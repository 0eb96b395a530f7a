"""A worker that reports, and stands still, between carrying an effect out and recording it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

POINT = "executed"


class Hold:
    """The FIFO on which a held worker reports."""

    def __init__(self, path: Path, reading: int) -> None:
        self.reading = reading
        self.environment = {"PLACET_HOLD": POINT, "PLACET_HOLD_FIFO": str(path)}

    def reported(self) -> bool:
        """Whether a worker has said, since the last look, that it stands there."""
        return any(line.startswith(POINT) for line in os.read(self.reading, 4096).decode().split())


@contextmanager
def hold(data: Path) -> Iterator[Hold]:
    """Make the FIFO, mode 0600, for as long as the block lasts."""
    path = data / "hold.fifo"
    path.unlink(missing_ok=True)
    os.mkfifo(path, 0o600)
    # Opened for both, so that opening waits for nobody and a worker's death does not close it.
    reading = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        yield Hold(path, reading)
    finally:
        os.close(reading)
        path.unlink(missing_ok=True)
