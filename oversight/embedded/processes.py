"""Child processes, each in a session of its own, that end as a whole and never outlive us."""

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from .guardian import guardian

PROJECT = Path(__file__).resolve().parent.parent.parent

_KEPT_LINES = 2000
_LOOK_SECONDS = 0.2
_PR_SET_PDEATHSIG = 1


def _death_signal() -> Callable[[], None] | None:
    """What has Linux kill a child whose parent dies, should the guardian have died as well.

    Linux takes the end of the thread that started a child for its parent's death, hence only the
    main thread asks for it.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class ChildEnded(RuntimeError):
    """A child ended although something was still expected of it; says its last lines."""


class Child:
    """One running child process and whatever it starts, together one process group.

    Its output, both streams, goes line by line to the file `log` (appended) and to `on_line`,
    which is called on a thread of its own. `env` is added to this process's environment. `stdin`
    is a file descriptor to read from, by default one that has nothing to read. It works in the
    project's own folder, or in a `tree`, another copy of it.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        log: Path | None = None,
        on_line: Callable[[str], None] | None = None,
        stdin: int = subprocess.DEVNULL,
        tree: Path = PROJECT,
    ) -> None:
        self.name = name
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._news = threading.Condition()
        self._log = log
        self._on_line = on_line
        process = subprocess.Popen(
            command,
            cwd=tree,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_death_signal(),
        )
        self.pid = process.pid
        """The process id of the leader, which is also the number of the group."""
        self.exit_code: int | None = None
        """None while the leader runs; the negative number of the signal if one ended it."""
        guardian().watch_group(self.pid)
        self._running = threading.Lock()
        self._running.acquire()
        # A signal's handler that raises takes the lock of a `Popen` that is being asked along, and
        # whoever waits for it then waits for ever. Handlers run on the main thread alone.
        threading.Thread(target=self._outlive, args=[process], daemon=True).start()
        output = cast(IO[bytes], process.stdout)
        self._reader = threading.Thread(target=self._read, args=[output], daemon=True)
        self._reader.start()

    def tail(self, lines: int = 10) -> list[str]:
        """Return the last lines of output."""
        with self._news:
            return list(self._lines)[-lines:]

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the leader to end and return its exit code; TimeoutError after `timeout` s."""
        if self.exit_code is None and self._running.acquire(timeout=_seconds(timeout)):
            self._running.release()
        if self.exit_code is None:
            raise TimeoutError(f"{self.name} still runs after {timeout} s")
        return self.exit_code

    def wait_for(self, pattern: str, timeout: float, *, times: int = 1) -> re.Match[str]:
        """Wait until `times` lines, past or coming, contain the regular expression `pattern`.

        Returns the last of them. Raises ChildEnded if the process ends without them, TimeoutError
        after `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        while True:
            ended = self.exit_code is not None and not self._reader.is_alive()
            with self._news:
                found = [match for line in self._lines if (match := re.search(pattern, line))]
                if len(found) >= times:
                    return found[times - 1]
                if ended:
                    raise ChildEnded(self._without(pattern))
                if time.monotonic() > deadline:
                    raise TimeoutError(self._without(pattern))
                self._news.wait(_LOOK_SECONDS)

    def signal(self, number: int) -> None:
        """Send a signal to the whole group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def ask_to_end(self) -> None:
        """SIGTERM to the leader alone, which ends its children itself and lets them finish."""
        if self.exit_code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL the whole group and wait for its leader."""
        self.signal(signal.SIGKILL)
        self.wait()
        guardian().release_group(self.pid)
        self._reader.join(_LOOK_SECONDS)

    def stop(self, timeout: float = 10.0) -> None:
        """Ask the leader to end, and after `timeout` seconds kill whatever is left of the group."""
        self.ask_to_end()
        with contextlib.suppress(TimeoutError):
            self.wait(timeout)
        self.kill()

    def _outlive(self, process: subprocess.Popen[bytes]) -> None:
        self.exit_code = process.wait()
        self._running.release()

    def _read(self, output: IO[bytes]) -> None:
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(self._log.open("ab")) if self._log else None
            for raw in output:
                if log:
                    log.write(raw)
                    log.flush()
                self._take(raw.decode(errors="replace").rstrip("\n"))
        with self._news:
            self._news.notify_all()

    def _take(self, line: str) -> None:
        with self._news:
            self._lines.append(line)
            self._news.notify_all()
        if self._on_line:
            self._on_line(line)

    def _without(self, pattern: str) -> str:
        state = "runs" if self.exit_code is None else f"ended with code {self.exit_code}"
        lines = "\n  ".join(list(self._lines)[-10:])
        return f"{self.name} {state} and never said {pattern!r}; its last lines:\n  {lines}"


def _seconds(timeout: float | None) -> float:
    """The timeout as a lock understands it."""
    return -1 if timeout is None else max(timeout, 0)


def web(
    env: Mapping[str, str], port: int, *, log: Path | None = None, tree: Path = PROJECT
) -> Child:
    """Start the web server on 127.0.0.1; it is up once it says `Uvicorn running`."""
    options = ["--host", "127.0.0.1", "--port", str(port), "--lifespan", "off"]
    command = ["uvicorn", "oversight.asgi:application", *options]
    return _module("web", [*command, "--timeout-graceful-shutdown", "3"], env, log, tree)


def worker(
    env: Mapping[str, str],
    *,
    concurrency: int = 2,
    log: Path | None = None,
    tree: Path = PROJECT,
) -> Child:
    """Start a worker of `concurrency` processes; it is up once it says `ready.`"""
    options = ["--pool", "prefork", "--concurrency", str(concurrency), "--loglevel", "INFO"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return _module(
        "worker", ["celery", "-A", "oversight", "worker", *options, *quiet], env, log, tree
    )


def beat(env: Mapping[str, str], *, log: Path | None = None, tree: Path = PROJECT) -> Child:
    """Start the clock that calls for a sweep; it is up once it says `beat: Starting`."""
    return _module("beat", ["celery", "-A", "oversight", "beat", "--pidfile="], env, log, tree)


def command(
    name: str,
    env: Mapping[str, str],
    *options: str,
    log: Path | None = None,
    tree: Path = PROJECT,
) -> Child:
    """Start `manage.py NAME` as a process of its own."""
    manage = [sys.executable, str(tree / "manage.py"), name, *options]
    return Child(name, manage, env=env, log=log, tree=tree)


def _module(
    name: str, module: Sequence[str], env: Mapping[str, str], log: Path | None, tree: Path
) -> Child:
    return Child(name, [sys.executable, "-m", *module], env=env, log=log, tree=tree)
