"""Single keys from a terminal, or the letters of lines from a pipe."""

import os
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def keyboard() -> Iterator[int | None]:
    """Give the file descriptor that keys come from, or None where nobody can press any.

    A terminal answers to single keys until the block ends, and is as before after that.
    """
    try:
        source = sys.stdin.fileno()
    except (AttributeError, ValueError):  # no standard input at all
        yield None
        return
    if not os.isatty(source):
        yield source
    elif not _in_foreground(source):
        yield None
    else:
        before = termios.tcgetattr(source)
        try:
            tty.setcbreak(source)
            yield source
        finally:
            termios.tcsetattr(source, termios.TCSADRAIN, before)


def _in_foreground(terminal: int) -> bool:
    """Whether the terminal is ours; one that is not stops whoever touches it."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False


def pressed(source: int) -> str | None:
    """Return the keys that are there to be read, in lower case; None when no more will come."""
    read = os.read(source, 1024)
    return read.decode(errors="replace").lower() if read else None
