"""A child is one process group: it reports by its output, and ends as a whole."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import psutil
import pytest

from oversight.embedded import Child, ChildEnded
from oversight.embedded.guardian import is_alive

PATIENCE = 20
MICROSECOND = 1e-6
PROJECT = Path(__file__).resolve().parents[2]

PARENT_AND_CHILD = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("child", child.pid)
child.wait()
"""
DEAF = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up")
signal.pause()
"""

SUPERVISOR = """
import signal
from oversight.embedded import Child
child = Child("family", [{python!r}, "-c", {script!r}])
found = child.wait_for(r"child (\\d+)", 20)
print("family", child.pid, found[1], flush=True)
signal.pause()
"""


def python(script: str) -> list[str]:
    return [sys.executable, "-c", script]


def family() -> tuple[Child, int]:
    """Start a child that starts a child, and return it with the grandchild's process id."""
    child = Child("family", python(PARENT_AND_CHILD))
    return child, int(child.wait_for(r"child (\d+)", PATIENCE)[1])


def wait_until_gone(*pids: int) -> None:
    alive = [psutil.Process(pid) for pid in pids if is_alive(pid)]
    _, left = psutil.wait_procs(alive, timeout=PATIENCE)
    assert [process for process in left if is_alive(process.pid)] == []


def test_kill_ends_the_whole_group() -> None:
    child, grandchild = family()

    child.kill()

    assert child.exit_code == -signal.SIGKILL
    wait_until_gone(grandchild)


def test_stop_asks_the_leader_and_takes_the_rest_along() -> None:
    child, grandchild = family()

    child.stop(timeout=PATIENCE)

    assert child.exit_code == -signal.SIGTERM
    wait_until_gone(grandchild)


def test_stop_works_wherever_an_interrupt_met_whoever_was_looking() -> None:
    child, grandchild = family()

    with interrupting(signal.SIGVTALRM):
        for number in range(200):
            with pytest.raises(KeyboardInterrupt):
                look_for_ever(child, interrupted_after=(20 + number) * MICROSECOND)
    child.stop(timeout=PATIENCE)

    assert child.exit_code == -signal.SIGTERM
    wait_until_gone(grandchild)


@contextmanager
def interrupting(number: int) -> Iterator[None]:
    """Let a signal do what Ctrl-C does."""
    before = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def look_for_ever(child: Child, *, interrupted_after: float) -> NoReturn:
    signal.setitimer(signal.ITIMER_VIRTUAL, interrupted_after)
    while True:
        with suppress(TimeoutError):
            child.wait(timeout=0)


def test_stop_kills_a_child_that_does_not_listen() -> None:
    child = Child("deaf", python(DEAF))
    child.wait_for("up", PATIENCE)

    child.stop(timeout=0.2)

    assert child.exit_code == -signal.SIGKILL


def test_wait_for_finds_a_line_already_said() -> None:
    child = Child("talker", python("print('one'); print('two'); import time; time.sleep(600)"))

    assert child.wait_for("two", PATIENCE)
    assert child.wait_for("^o", PATIENCE).string == "one"
    child.kill()


def test_wait_for_says_how_a_child_ended_that_never_said_it() -> None:
    child = Child("brief", python("print('last words'); raise SystemExit(3)"))

    with pytest.raises(ChildEnded, match=r"ended with code 3.*\n.*last words"):
        child.wait_for("never said", PATIENCE)


def test_wait_for_gives_up_in_time() -> None:
    child = Child("silent", python("import time; time.sleep(600)"))

    with pytest.raises(TimeoutError, match="silent runs and never said"):
        child.wait_for("never said", 0.1)
    child.kill()


def test_output_goes_to_the_log_and_to_the_listener(tmp_path: Path) -> None:
    heard: list[str] = []
    log = tmp_path / "child.log"
    script = "import sys; print('out'); print('err', file=sys.stderr)"

    child = Child("writer", python(script), log=log, on_line=heard.append)
    child.wait_for("err", PATIENCE)
    child.stop()

    assert heard == ["out", "err"]
    assert log.read_text() == "out\nerr\n"


def test_the_environment_is_added_to_ours() -> None:
    script = "import os; print(os.environ['MADE_UP'], 'PATH' in os.environ)"

    assert Child("env", python(script), env={"MADE_UP": "yes"}).wait_for("yes True", PATIENCE)


def test_children_and_their_children_die_with_a_killed_supervisor() -> None:
    script = SUPERVISOR.format(python=sys.executable, script=PARENT_AND_CHILD)
    supervisor = subprocess.Popen(python(script), cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert supervisor.stdout is not None
    child, grandchild = map(int, supervisor.stdout.readline().split()[1:])
    assert is_alive(child)
    assert is_alive(grandchild)

    os.kill(supervisor.pid, signal.SIGKILL)
    supervisor.wait()

    wait_until_gone(child, grandchild)
    supervisor.stdout.close()
