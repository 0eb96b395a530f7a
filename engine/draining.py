"""A worker that was asked to end: it finishes what it began and hands its runs to others.

What is asked of the worker's parent reaches the processes that it has forked through one byte of
memory that all of them share.
"""

import mmap

_asked = mmap.mmap(-1, 1)


def begin() -> None:
    """From now on no run is taken up, and none is gone on with once it may be left."""
    _asked[0] = 1


def begun() -> bool:
    return bool(_asked[0])
