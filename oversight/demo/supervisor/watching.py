"""The supervisor while everything runs: it answers to keys and looks after the parts."""

import selectors
from collections.abc import Mapping

from oversight.embedded import Servers

from .hold import Hold
from .keys import pressed
from .parts import EssentialPartEnded, Part
from .telling import Telling

# The database's process is not a child of this one, so no signal tells that it ended.
_LOOK_SECONDS = 0.5


class Watch:
    """Runs until somebody asks for the end, or something ends without which there is no demo."""

    def __init__(
        self,
        parts: Mapping[str, Part],
        environment: Mapping[str, str],
        running: Servers,
        hold: Hold,
        telling: Telling,
    ) -> None:
        self._parts = parts
        self._environment = environment
        self._running = running
        self._hold = hold
        self._say = telling.say
        self._held = False
        self._going = True

    def run(self, keyboard: int | None) -> None:
        """Return when `q` was pressed. Raises EssentialPartEnded."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._hold.reading, selectors.EVENT_READ, self._crash_if_reported)
            if keyboard is not None:
                self._listen(selector, keyboard)
            while self._going:
                for key, _ in selector.select(_LOOK_SECONDS):
                    key.data()
                self._look_after_parts()

    def _listen(self, selector: selectors.BaseSelector, keyboard: int) -> None:
        def obey() -> None:
            keys = pressed(keyboard)
            if keys is None:
                selector.unregister(keyboard)
            for key in keys or "":
                self._obey(key)

        try:
            selector.register(keyboard, selectors.EVENT_READ, obey)
        except PermissionError:
            # A file, or the null device: it has no news to wait for.
            return

    def _obey(self, key: str) -> None:
        commands = {"k": self._kill_worker, "c": self._arm, "q": self._end}
        if command := commands.get(key):
            command()

    def _end(self) -> None:
        self._going = False

    def _kill_worker(self) -> None:
        self._replace_worker("killed (SIGKILL)")

    def _arm(self) -> None:
        if self._held:
            self._say("The worker already waits for an effect: approve a proposal.")
            return
        self._parts["worker"].stop()
        self._held = True
        pid = self._start("worker")
        self._say(
            f"Worker {pid} will be killed between execute and record of its next effect."
            " Approve a proposal."
        )

    def _crash_if_reported(self) -> None:
        if self._hold.reported() and self._held:
            self._replace_worker("killed between execute and record")

    def _replace_worker(self, how: str) -> None:
        worker = self._parts["worker"]
        before = worker.pid
        worker.kill()
        self._held = False
        pid = self._start("worker")
        killed = f"Worker {before} {how}" if before else "No worker was running"
        self._say(f"{killed}; new worker {pid} takes over.")

    def _start(self, name: str) -> int:
        held = self._hold.environment if name == "worker" and self._held else {}
        return self._parts[name].start({**self._environment, **held})

    def _look_after_parts(self) -> None:
        for server in (self._running.postgres, self._running.valkey):
            if not server.is_running():
                raise EssentialPartEnded(f"{type(server).__name__} ended by itself.")
        for part in self._parts.values():
            if how := part.ended():
                self._mourn(part, how)
            if part.is_due():
                self._say(f"New {part.name} {self._start(part.name)}.")

    def _mourn(self, part: Part, how: str) -> None:
        if part.essential:
            raise EssentialPartEnded(how)
        self._say(how)
