"""Ends what a process would leave behind when it dies, however it dies.

The guard is a small process in a session of its own that holds the reading end of a pipe. Its ward
writes down there what is to be ended; the pipe's end is the sign that the ward is gone, which no
signal, not even SIGKILL, can keep from the guard. This file is both sides: the ward imports it, and
the guard runs it as a script, without the rest of the project.
"""

import atexit
import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any, cast

import psutil

FAST = (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)
"""How to end PostgreSQL: let it close its sessions first; at once; as a crash would."""

_POSTMASTER_SECONDS = 15


class Guardian:
    """The ward's side: says what is to be ended if this process dies, and what no longer is."""

    def __init__(self) -> None:
        self._writing = threading.Lock()
        self._guard = subprocess.Popen(
            [sys.executable, "-I", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )
        self._pipe = cast(IO[str], self._guard.stdin)

    def watch_group(self, leader: int) -> None:
        """Kill the process group of `leader`."""
        self._say(f"group {leader}", kill_group=leader)

    def watch_postmaster(self, pid: int) -> None:
        """Shut PostgreSQL down."""
        self._say(f"postmaster {pid}", stop_postmaster=pid)

    def watch_path(self, path: Path) -> None:
        """Remove a file, or a folder with all that is in it."""
        self._say(f"path {path}", remove=str(path))

    def release_group(self, leader: int) -> None:
        self._say(f"group {leader}")

    def release_postmaster(self, pid: int) -> None:
        self._say(f"postmaster {pid}")

    def release_path(self, path: Path) -> None:
        self._say(f"path {path}")

    def close(self) -> None:
        """Have everything ended that was not released, and wait for it."""
        with contextlib.suppress(BrokenPipeError):
            self._pipe.close()
        self._guard.wait()

    def _say(self, name: str, **duty: Any) -> None:
        # A guard that somebody killed guards nothing, but is no reason to stop working.
        with self._writing, contextlib.suppress(BrokenPipeError):
            self._pipe.write(json.dumps([name, duty]) + "\n")
            self._pipe.flush()


@functools.cache
def guardian() -> Guardian:
    """Return this process's only guardian; it does its duty at the end of the process, too."""
    guard = Guardian()
    atexit.register(guard.close)
    return guard


def main() -> None:
    """The guard's side: write down duties until the pipe ends, then do them, the latest first."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    duties: dict[str, dict[str, Any]] = {}
    for line in sys.stdin:
        name, duty = json.loads(line)
        duties.pop(name, None)
        if duty:
            duties[name] = duty
    for duty in reversed(duties.values()):
        _carry_out(duty)


def _carry_out(duty: dict[str, Any]) -> None:
    if leader := duty.get("kill_group"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
    if pid := duty.get("stop_postmaster"):
        stop_postmaster(pid, *FAST)
    if path := duty.get("remove"):
        _remove(Path(path))


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def stop_postmaster(pid: int, *signals: int) -> None:
    """Send PostgreSQL the first signal, and the next one whenever it has not ended in time."""
    for number in signals:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
        if _is_gone(pid, seconds=_POSTMASTER_SECONDS):
            return


def _is_gone(pid: int, *, seconds: float) -> bool:
    # The postmaster is not a child of this process, so nothing but a look tells that it ended.
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not is_alive(pid):
            return True
        time.sleep(0.05)
    return False


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody has waited for does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


if __name__ == "__main__":
    main()
