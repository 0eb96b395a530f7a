"""The data folder, used by one program at a time, and short private folders for sockets."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .guardian import guardian

_CLAIM = "claim"
_SHORT = 36


class AlreadyRunning(RuntimeError):
    """Another program works on this data folder."""


@contextmanager
def claimed(data: Path) -> Iterator[None]:
    """Keep the folder `data`, made when missing, to this process; AlreadyRunning if it is taken.

    The claim ends with the process, however that ends.
    """
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (data / _CLAIM).open("a+", encoding="utf-8") as claim:
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as taken:
            claim.seek(0)
            raise AlreadyRunning(
                f"{data} is in use by process {claim.read().strip() or 'unknown'}."
            ) from taken
        claim.truncate(0)
        claim.write(str(os.getpid()))
        claim.flush()
        yield


def empty(data: Path) -> None:
    """Remove all that is in a claimed data folder but the claim."""
    for entry in data.iterdir():
        if entry.name == _CLAIM:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def short_private_folder(place: str | None = None) -> Path:
    """Make a folder of mode 0700 with a name short enough for sockets some folders deeper.

    In the folder `place`, or where temporary files go.
    """
    place = place or tempfile.gettempdir()
    if len(place) > _SHORT:
        place = "/tmp"  # noqa: S108 - only the place; mkdtemp makes a folder that is ours alone
    folder = Path(tempfile.mkdtemp(prefix="placet-", dir=place))
    guardian().watch_path(folder)
    return folder


def discard(folder: Path) -> None:
    """Remove a folder made by `short_private_folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    guardian().release_path(folder)
