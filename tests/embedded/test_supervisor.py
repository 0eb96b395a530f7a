"""`manage.py demo`, as a person starts it: keys, crashes, Ctrl-C, and nothing left behind."""

import http.client
import os
import shlex
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import psutil
import pytest

from oversight.embedded import Child
from oversight.embedded.folders import discard, short_private_folder
from oversight.embedded.processes import PROJECT

from .test_processes import wait_until_gone

UP_SECONDS = 120
PATIENCE = 60
DEMO = [sys.executable, str(PROJECT / "manage.py"), "demo"]
TARGETS = ("access", "mail", "pager", "shopkeeper")
SPAWN = """
import pty, signal, sys
# Whoever started us in the background had Ctrl-C ignored; a person at a terminal has not.
signal.signal(signal.SIGINT, signal.default_int_handler)
pty.spawn(sys.argv[1:])
"""
IN_A_TERMINAL = [sys.executable, "-c", SPAWN]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Demo:
    """A demo on a folder of its own, and a pipe to press its keys."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self.data = folder / "data"
        self.passing = folder / "passing"
        self.passing.mkdir(exist_ok=True)
        self.port = free_port()
        environment = {"PLACET_PORT": str(self.port), "TMPDIR": str(self.passing)}
        reading, self._writing = os.pipe()
        self.child = Child("demo", command, env=environment, stdin=reading)
        os.close(reading)

    def press(self, keys: str) -> None:
        os.write(self._writing, keys.encode())

    def hang_up(self) -> None:
        os.close(self._writing)

    def wait_for(self, pattern: str) -> str:
        return self.child.wait_for(pattern, UP_SECONDS)[0]

    def processes(self) -> list[int]:
        """Everything that works for this demo, the supervisor too."""
        return [process.pid for process in psutil.process_iter() if self._works_here(process)]

    def leader(self, *words: str) -> psutil.Process:
        """The supervisor's own child whose command has these words."""
        children = psutil.Process(self.child.pid).children()
        return next(child for child in children if {*words} <= {*child.cmdline()})

    def target(self, name: str) -> int:
        """The process id of the script that plays an outside system."""
        return self.leader(str(PROJECT / "oversight" / "demo" / "desk" / f"{name}.py")).pid

    def _works_here(self, process: psutil.Process) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            words = [*process.cmdline(), *process.environ().values()]
        except psutil.Error:
            return False
        return any(str(self.data) in word or str(self.passing) in word for word in words)


@pytest.fixture
def folder() -> Iterator[Path]:
    made = short_private_folder()
    yield made
    discard(made)


@contextmanager
def started(folder: Path, command: list[str]) -> Iterator[Demo]:
    """A demo that is up, and whatever becomes of it is stopped in the end."""
    demo = Demo(folder, command)
    try:
        demo.wait_for("q  stop everything")
        yield demo
    finally:
        demo.child.stop(timeout=PATIENCE)


def running(folder: Path, *wrapper: str) -> AbstractContextManager[Demo]:
    return started(folder, [*wrapper, *DEMO, "--data", str(folder / "data")])


def status(port: int) -> int:
    connection = http.client.HTTPConnection("localhost", port, timeout=PATIENCE)
    with closing(connection):
        connection.request("GET", "/")
        return connection.getresponse().status


def assert_nothing_is_left(demo: Demo, before: list[int]) -> None:
    wait_until_gone(*before)
    assert demo.processes() == []
    assert list(demo.passing.iterdir()) == []
    kept = {path.name for path in demo.data.iterdir()}
    assert kept.isdisjoint({"demo.env", "hold.fifo"})


def test_it_runs_answers_to_keys_and_leaves_nothing_behind(folder: Path) -> None:
    with running(folder) as demo:
        assert status(demo.port) < 500
        before = demo.processes()
        assert all(demo.target(name) in before for name in TARGETS)

        demo.press("k\n")
        demo.wait_for(r"Worker \d+ killed \(SIGKILL\); new worker \d+ takes over")
        demo.press("c\n")
        demo.wait_for(r"Worker \d+ will be killed between execute and record")
        before += demo.processes()
        demo.press("q\n")

        assert demo.child.wait(PATIENCE) == 0
    assert_nothing_is_left(demo, before)


@pytest.mark.slow
def test_secrets_are_readable_by_their_owner_alone(folder: Path) -> None:
    with running(folder) as demo:
        for name in ("secret.key", "demo.env", "agent.key"):
            assert stat.S_IMODE((demo.data / name).stat().st_mode) == 0o600
        assert stat.S_IMODE((demo.data / "logs").stat().st_mode) == 0o700


def test_ctrl_c_in_a_terminal_stops_it_and_leaves_the_terminal_as_it_was(folder: Path) -> None:
    demo_in_shell = shlex.join([*DEMO, "--data", str(folder / "data")])
    script = f"trap : INT; stty -g; {demo_in_shell}; echo code $?; stty -g; exit 0"
    with started(folder, [*IN_A_TERMINAL, "sh", "-c", script]) as demo:
        before = demo.processes()

        demo.press("k")
        demo.wait_for(r"killed \(SIGKILL\); new worker \d+ takes over")
        demo.press("\x03")
        demo.wait_for("code 0")
        demo.child.wait(PATIENCE)

    modes = [line for line in demo.child.tail(1000) if line.count(":") > 10]
    assert len(modes) == 2
    assert modes[0] == modes[1]
    assert_nothing_is_left(demo, before)


@pytest.mark.slow
def test_a_killed_supervisor_takes_everything_with_it_and_the_next_one_starts(folder: Path) -> None:
    with running(folder) as demo:
        before = demo.processes()
        os.kill(demo.child.pid, signal.SIGKILL)
        wait_until_gone(*before)
        assert not (demo.data / "demo.env").exists()

    with running(folder) as again:
        assert status(again.port) < 500


@pytest.mark.slow
def test_without_a_keyboard_it_runs_until_it_is_told_to_end(folder: Path) -> None:
    with running(folder) as demo:
        demo.hang_up()
        supervisor = psutil.Process(demo.child.pid)
        used = supervisor.cpu_times()

        with pytest.raises(TimeoutError):
            demo.child.wait(3)

        later = supervisor.cpu_times()
        assert later.user + later.system - used.user - used.system < 1
        demo.child.ask_to_end()
        assert demo.child.wait(PATIENCE) == 0


@pytest.mark.slow
def test_a_second_demo_on_the_same_folder_is_refused(folder: Path) -> None:
    with running(folder) as demo:
        second = Demo(folder, [*DEMO, "--data", str(demo.data)])

        second.wait_for(rf"in use by process {demo.child.pid}")
        assert second.child.wait(PATIENCE) == 1
        assert status(demo.port) < 500


def test_a_port_that_was_asked_for_and_is_taken_ends_it(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [*DEMO, "--data", str(folder / "data")]
        refused = subprocess.run(
            command,
            env={**os.environ, "PLACET_PORT": port},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    assert refused.returncode == 1
    assert f"Port {port} is taken" in refused.stdout


@pytest.mark.slow
def test_a_worker_that_ends_by_itself_is_replaced_and_a_web_server_is_not(folder: Path) -> None:
    with running(folder) as demo:
        demo.leader("celery", "worker").kill()
        demo.wait_for("worker ended by itself with code -9")
        demo.wait_for(r"New worker \d+")

        demo.leader("uvicorn").kill()
        demo.wait_for("cannot go on. web ended by itself with code -9")
        assert demo.child.wait(PATIENCE) == 1


@pytest.mark.slow
def test_reset_starts_over(folder: Path) -> None:
    with running(folder) as demo:
        key = (demo.data / "secret.key").read_text()
    command = [*DEMO, "--reset", "--data", str(demo.data)]
    with started(folder, command):
        assert (demo.data / "secret.key").read_text() != key
