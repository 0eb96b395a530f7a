"""What the terminal says: steps with a tick and their seconds, news, and one block to read."""

import io
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Telling:
    """Writes to standard output; a step's line stays open until the step is done."""

    def __init__(self) -> None:
        self._open = False
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # not every terminal knows a tick

    @contextmanager
    def step(self, words: str) -> Iterator[None]:
        """Say what begins, and how many seconds it took once it is done."""
        began = time.monotonic()
        self._write(f"  {words} … ")
        self._open = True
        try:
            yield
        except BaseException:
            self._finish("✗")
            raise
        self._finish(f"✓ {time.monotonic() - began:.1f} s")

    def say(self, words: str) -> None:
        """One piece of news, on a line of its own."""
        if self._open:
            self._write("\n")
        self._write(f"  {words}\n")
        self._open = False

    def block(self, text: str) -> None:
        """Several lines with space around them."""
        self._write(f"\n{text.rstrip()}\n\n")

    def _finish(self, words: str) -> None:
        self._write(f"{words}\n" if self._open else f"    {words}\n")
        self._open = False

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
