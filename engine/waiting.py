"""A run that a node has told to wait: without a lease, without a worker, until something comes.

Whether the time has come is never asked here: the database's clock says so when the run is claimed.
"""

from .crashpoints import reach
from .eventlog import Log
from .lifecycle import end
from .types import Facts


def wait_on(log: Log) -> None:
    """Go on when what was waited for has come, elsewhere when it has not in time, else park."""
    wait = log.position.wait or {}
    if "event" in wait or ("elapsed" in wait and wait["what"] == "time"):
        reach("event_taken")
        log.write("run_moved", {"node": wait["then"]})
    elif "elapsed" not in wait:
        _park(log, wait)
    elif "otherwise" in wait:
        log.write("run_moved", {"node": wait["otherwise"]})
    else:
        end(log, "cancelled", reason="expired")


def _park(log: Log, wait: Facts) -> None:
    shown = ("what", "name", "key", "until", "zone")
    awaiting = {name: wait[name] for name in shown if name in wait}
    facts = {"status": "waiting_external", "awaiting": awaiting, "wake_at": wait["until"]}
    log.write("run_parked", facts, boundary=True)
