"""A real worker that stands still in the middle of an effect."""

import os
from collections.abc import Callable
from pathlib import Path

from tests.faults.processes import Worker
from tests.world import Desk


class Held:
    """A real worker that stands between the gate and the call, and can be let go on."""

    def __init__(self, desk: Desk, start: Callable[..., Worker]) -> None:
        self.worker = start(hold="intended")
        self.go = self.worker._fifo.with_name(f"{self.worker._fifo.name}.go")
        os.mkfifo(self.go)
        self.proposal = desk.propose_refund()
        desk.approve(self.proposal)
        self.worker.held()

    def let_go(self) -> None:
        with Path(self.go).open("w"):
            pass
