"""Files below a configured root, reached step by step, so that no link leads out of it.

    PLACET_FILE_ROOTS = {"config": "/srv/config"}

Every folder on the way is opened by its name alone, relative to the folder before, and never
through a symbolic link; what is done at the end is done relative to that open folder. A path that
is swapped under our feet leads nowhere else.
"""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings

from engine.actions import Refused
from engine.types import Facts

from .failures import Misconfigured

KEPT = ".placet-kept"
"""Our own folder in each root."""

STAGED = ".placet-staged-"
LARGEST_FILE = 16 * 1024 * 1024
"""Bytes; a larger file is neither read nor replaced."""

LONGEST_PATH = 1024
LONGEST_NAME = 255 - 32
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class PathRefused(Refused):
    """This path may not be written."""


def normal(path: str) -> str:
    """The path, if it is a plain one below a root. Raises ValueError that says what is wrong."""
    parts = path.split("/")
    if not path or path.startswith("/") or len(path.encode()) > LONGEST_PATH:
        raise ValueError("must be a relative path, such as conf/app.ini")
    if any(part in ("", ".", "..") for part in parts) or "\\" in path:
        raise ValueError("must be in its plain form: no `..`, no `.`, no `//`, no backslash")
    if not path.isprintable() or any(len(part.encode()) > LONGEST_NAME for part in parts):
        raise ValueError("must be printable, with names of an ordinary length")
    if any(part.casefold().startswith(".placet-") for part in parts):
        raise ValueError("must not lie in what Placet keeps for itself")
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A regular file as it was when it was read; `identity` tells it from any other file."""

    content: bytes = field(repr=False)
    mode: int
    owner: tuple[int, int]
    links: int
    identity: tuple[int, int, int]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def identity(found: os.stat_result) -> tuple[int, int, int]:
    """Inode, time of the last writing (ns), size: moves with the file when it is renamed."""
    return (found.st_ino, found.st_mtime_ns, found.st_size)


def _owner(found: os.stat_result) -> tuple[int, int]:
    return (found.st_uid, found.st_gid)


def facts(seen: Seen | None) -> Facts:
    """What a precondition says of a file; all None where there is none."""
    if seen is None:
        return {"sha256": None, "size": None, "mode": None}
    return {"sha256": seen.sha256, "size": len(seen.content), "mode": octal(seen.mode)}


def octal(mode: int) -> str:
    return f"{mode:04o}"


@contextmanager
def opened_root(name: str) -> Iterator[int]:
    """The root's open folder. Raises Misconfigured."""
    roots: Mapping[str, Any] = getattr(settings, "PLACET_FILE_ROOTS", {})
    if not roots.get(name):
        raise Misconfigured(f"PLACET_FILE_ROOTS has no path for {name!r}.")
    try:
        # The root itself is the operator's word; it may be a link.
        root = os.open(roots[name], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as problem:
        raise Misconfigured(f"The root {name!r} cannot be opened: {problem.strerror}.") from None
    try:
        yield root
    finally:
        os.close(root)


@contextmanager
def opened_parent(root: int, path: str) -> Iterator[tuple[int, str]]:
    """The open folder that `path` lies in, and its last name. Raises PathRefused."""
    folders = PurePosixPath(path).parts
    parent = os.dup(root)
    try:
        for name in folders[:-1]:
            below = open_folder(parent, name, path)
            os.close(parent)
            parent = below
        yield parent, folders[-1]
    finally:
        os.close(parent)


def open_folder(parent: int, name: str, path: str) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except OSError as problem:
        raise PathRefused(f"{path}: {name!r} {_why_no_folder(problem)}.") from problem


def _why_no_folder(problem: OSError) -> str:
    if problem.errno in (errno.ELOOP, errno.ENOTDIR):
        return "is a symbolic link or a file, not a folder"
    return "does not exist" if problem.errno == errno.ENOENT else f"({problem.strerror})"


def see(folder: int, name: str) -> Seen | None:
    """Read the file on a fresh open; None when there is none.

    Raises PathRefused for anything but a regular file of a bearable size that holds still.
    """
    try:
        opened = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as problem:
        why = "is a symbolic link" if problem.errno == errno.ELOOP else f"({problem.strerror})"
        raise PathRefused(f"{name!r} {why}.") from problem
    with os.fdopen(opened, "rb") as file:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise PathRefused(f"{name!r} is not a regular file.")
        content = file.read(LARGEST_FILE + 1)
        after = os.fstat(file.fileno())
    if len(content) > LARGEST_FILE:
        raise PathRefused(f"{name!r} has more than {LARGEST_FILE} bytes.")
    if identity(before) != identity(after) or len(content) != after.st_size:
        raise PathRefused(f"{name!r} is being written by somebody else.")
    return Seen(
        content=content,
        mode=stat.S_IMODE(after.st_mode),
        owner=_owner(after),
        links=after.st_nlink,
        identity=identity(after),
    )


def identity_at(folder: int, name: str) -> tuple[int, int, int] | None:
    """Which file lies there now; None when there is none."""
    try:
        return identity(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def write_new(folder: int, content: bytes, *, mode: int, owner: tuple[int, int] | None) -> str:
    """A new file with a name that nobody has, content and entry on the disk. Gives its name."""
    name = f"{STAGED}{secrets.token_hex(16)}"
    with os.fdopen(os.open(name, _NEW, 0o600, dir_fd=folder), "wb") as file:
        try:
            file.write(content)
            file.flush()
            _dress(file.fileno(), mode, owner)
            os.fsync(file.fileno())
        except OSError:
            os.unlink(name, dir_fd=folder)
            raise
    os.fsync(folder)
    return name


def _dress(file: int, mode: int, owner: tuple[int, int] | None) -> None:
    if owner is not None and owner != _owner(os.fstat(file)):
        os.fchown(file, *owner)
    os.fchmod(file, mode)


def replace(folder: int, old: str, new: str) -> None:
    """The file called `old` is called `new` from here on, and stays so after a power cut."""
    os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)


def remove(folder: int, name: str) -> None:
    """Gone, and the entry with it, if it was there."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    os.fsync(folder)
