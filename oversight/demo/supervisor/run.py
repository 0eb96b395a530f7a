"""The demo from its first step to its last."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

from oversight.embedded import (
    AlreadyRunning,
    ChildEnded,
    PostgresFailed,
    Servers,
    processes,
    servers,
)

from . import ports, world
from .folder import empty_logs, passing_folder, secret_key, written_down
from .hold import hold
from .keys import keyboard
from .parts import EssentialPartEnded, Part, all_parts
from .targets import targets
from .telling import Telling
from .watching import Watch

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

READY = """
  Placet is running.

    Open      http://localhost:{port}
    Sign in   open the page and click a person
    Keys      k  kill the worker now (SIGKILL); a new one takes over
              c  kill it between execute and record of its next effect
              q  stop everything (Ctrl-C does, too)
    Logs      {logs} and {data}/postgres/log
"""


def run(data: Path, *, reset: bool = False) -> int:
    """Run the demo on the folder `data` until it is stopped; return its exit code."""
    telling = Telling()
    _stop_on_signals()
    try:
        with suppress(KeyboardInterrupt):
            _run(data, telling, reset=reset)
    except (
        AlreadyRunning,
        ChildEnded,
        EssentialPartEnded,
        PostgresFailed,
        TimeoutError,
        ports.PortTaken,
        world.StepFailed,
    ) as problem:
        telling.say(f"The demo cannot go on. {problem}")
        telling.say(f"Logs: {_short(data / 'logs')}")
        return 1
    telling.say(f"Stopped. Logs: {_short(data / 'logs')}; start again with `make demo`.")
    return 0


def _stop_on_signals() -> None:
    """Make the first signal end the demo, and let none disturb its end."""

    def end(_: int, __: FrameType | None) -> None:
        for number in _STOPPING:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in _STOPPING:
        # Whoever had a signal ignored, as `nohup` does, meant it.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)


def _run(data: Path, telling: Telling, *, reset: bool) -> None:
    with ExitStack() as stack:
        with telling.step("Starting PostgreSQL and Valkey"):
            running = stack.enter_context(servers(data, telling.say, fresh=reset))
        logs = empty_logs(data)
        port = ports.choose(os.environ, telling.say)
        outside = targets(data)
        environment = {**_environment(running, data, port), **outside.environment()}
        stack.enter_context(written_down(environment, data))
        environment["TMPDIR"] = str(stack.enter_context(passing_folder()))
        _prepare(running, environment, logs, telling)
        held = stack.enter_context(hold(data))
        everything = {**outside.parts(logs), **all_parts(port, logs)}
        parts = stack.enter_context(_started(everything, environment, telling))
        telling.block(READY.format(port=port, logs=_short(logs), data=_short(data)))
        keys = stack.enter_context(keyboard())
        Watch(parts, environment, running, held, telling).run(keys)


def _environment(running: Servers, data: Path, port: int) -> dict[str, str]:
    """What every part, and `manage.py` beside the running demo, has to know."""
    return {
        "DJANGO_SETTINGS_MODULE": "oversight.settings",
        "DATABASE_URL": running.database_url(world.PLACET),
        "CELERY_BROKER_URL": running.broker_url,
        "PLACET_DEMO": "1",
        "PLACET_SECRET_KEY": secret_key(data),
        "PLACET_PORT": str(port),
        "PLACET_LEASE_SECONDS": os.environ.get("PLACET_LEASE_SECONDS", "10"),
        "PLACET_LEDGER_URL": running.database_url(world.LEDGER, world.LEDGER_ROLE),
        "PLACET_API_URL": f"http://localhost:{port}",
        "PLACET_AGENT_KEY_FILE": str(data.resolve() / "agent.key"),
    }


def _prepare(
    running: Servers, environment: Mapping[str, str], logs: Path, telling: Telling
) -> None:
    with telling.step("Making the databases"):
        world.make_databases(running)
    with telling.step("Bringing the tables up to date"):
        world.migrate(environment, logs)
    with telling.step("Preparing people, agent and ledger"):
        world.prepare_world(environment, running, logs)


@contextmanager
def _started(
    parts: dict[str, Part], environment: Mapping[str, str], telling: Telling
) -> Iterator[dict[str, Part]]:
    """All parts, started side by side and, at the end, stopped side by side."""
    try:
        for part in parts.values():
            part.start(environment)
        for part in parts.values():
            with telling.step(f"Starting the {part.name}"):
                part.wait_until_up()
        yield parts
    finally:
        with telling.step("Stopping everything"):
            for part in parts.values():
                part.ask_to_end()
            for part in parts.values():
                part.stop()


def _short(path: Path) -> str:
    """Return the path as seen from the project, if it lies in it."""
    resolved = path.resolve()
    if resolved.is_relative_to(processes.PROJECT):
        return str(resolved.relative_to(processes.PROJECT))
    return str(resolved)
