"""A limit for a whole dialogue, where a library only limits each of its waits."""

import contextlib
import socket
import threading
from typing import Any, Self


class CutOff:
    """Shuts the socket of whatever it watches once the seconds are over; then `fired` is true.

    A peer that sends one byte now and then is never late for a single wait. Waiting for it ends
    here all the same.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.fired = False
        self._watched: Any = None
        self._timer = threading.Timer(seconds, self._fire)
        self._timer.daemon = True

    def watch(self, client: Any) -> None:
        """The client's attribute `sock` is shut when the time comes, whichever it is by then."""
        self._watched = client

    def check(self) -> None:
        """Raise TimeoutError when the time is over: for what must not begin after it."""
        if self.fired:
            raise TimeoutError("the time allowed is over")

    def _fire(self) -> None:
        self.fired = True
        found = getattr(self._watched, "sock", None)
        if found is not None:
            # Past any TLS object: its own way of closing would wait for the peer's farewell.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(found, socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *of: object) -> None:
        self._timer.cancel()
