"""Wait for something to have happened: look again until a deadline, never for a fixed time."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

LOOK_SECONDS = 0.03
PATIENCE_SECONDS = 30.0


def until(
    happened: Callable[[], Value | None], what: str, seconds: float = PATIENCE_SECONDS
) -> Value:
    """The first true answer of `happened`. Raises TimeoutError after `seconds` without one."""
    deadline = time.monotonic() + seconds
    while not (value := happened()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s in vain for {what}")
        time.sleep(LOOK_SECONDS)
    return value
