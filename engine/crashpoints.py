"""Named points at which a worker can be held so that somebody may really kill it.

`PLACET_HOLD=executed` with `PLACET_HOLD_FIFO=<path>` makes the process report
`executed <pid>` on that FIFO when it gets there, and then stand still until it is killed.
Without the variables a point costs one dictionary look-up.
"""

import os
import signal
from pathlib import Path

POINTS = ("prepared", "intended", "executed", "recorded", "verified", "committed")


def reach(point: str) -> None:
    if os.environ.get("PLACET_HOLD") == point:
        _report(point)
        while True:
            signal.pause()


def _report(point: str) -> None:
    with Path(os.environ["PLACET_HOLD_FIFO"]).open("w") as fifo:
        fifo.write(f"{point} {os.getpid()}\n")
