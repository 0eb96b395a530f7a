"""Named points at which a worker can be held so that somebody may really kill it.

`PLACET_HOLD=executed` with `PLACET_HOLD_FIFO=<path>` makes the process report
`executed <pid>` on that FIFO when it first gets there, and then stand still until it is killed;
or, where a FIFO `<path>.go` lies beside it, until somebody opens that for writing and closes it.
`PLACET_HOLD_NTH=3` lets it pass there twice before.
Without the variables a point costs one dictionary look-up.
"""

import os
import signal
from pathlib import Path

POINTS = ("prepared", "intended", "executed", "recorded", "verified", "committed")


def reach(point: str) -> None:
    if os.environ.get("PLACET_HOLD") == point and _is_due():
        del os.environ["PLACET_HOLD"]
        _hold(point, Path(os.environ["PLACET_HOLD_FIFO"]))


def _is_due() -> bool:
    left = int(os.environ.get("PLACET_HOLD_NTH", "1")) - 1
    os.environ["PLACET_HOLD_NTH"] = str(left)
    return left == 0


def _hold(point: str, report: Path) -> None:
    with report.open("w") as fifo:
        fifo.write(f"{point} {os.getpid()}\n")
    let_go = report.with_name(f"{report.name}.go")
    if let_go.exists():
        let_go.read_bytes()
        return
    while True:
        signal.pause()
