"""What a root keeps about its own changes, in `.placet-kept/`: originals, a journal, turns.

- `originals/<sha256>`: content that was replaced, under the hash of itself.
- `journal/<key>.json`: one entry for each idempotency key, written whole or not at all. Its stage
  is `intent` before the change, `done` after it, `refused` when it turned out that the change must
  not be made, `fenced` when a worker asked before any was begun. So the folder itself can be asked
  by key what became of a change.
- `turns/<hash of the path>`: one writer of a file at a time, for as long as its process lives.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.canonical import packed

from .failures import CallFailed
from .folders import KEPT, STAGED, PathRefused, open_folder, see, write_new
from .folders import replace as rename

PARTS = ("originals", "journal", "turns")
LOOK_AGAIN = 0.02
"""Seconds between two tries to get a turn: the kernel signals nobody when one becomes free."""

_KEY = re.compile(r"[0-9a-f]{64}")


class Busy(CallFailed):
    """Another process has a change of this file in hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change of one file, as the journal tells it.

    `moved` is the identity of the file that the change moves: the staged new content, which
    becomes the file at `path`; or, where the file is to go, that file, which is put `aside`.
    """

    key: str
    request_hash: str
    stage: str
    path: str
    aside: str
    moved: tuple[int, int, int]
    removes: bool
    answer: dict[str, Any]
    fencing_token: int

    def now(self, stage: str, **answer: Any) -> "Entry":
        return replace(self, stage=stage, answer={**self.answer, **answer})

    def under(self, fencing_token: int) -> "Entry":
        return replace(self, fencing_token=fencing_token)


class Kept:
    """The open `.placet-kept/` of a root."""

    def __init__(self, folders: dict[str, int]) -> None:
        self._folders = folders

    def entry(self, key: str) -> Entry | None:
        """What became of the change under this key; None when the journal has never heard of it."""
        found = see(self._folders["journal"], _entry_name(key))
        if found is None:
            return None
        facts = json.loads(found.content)
        return Entry(**{**facts, "moved": tuple(facts["moved"])})

    def write(self, entry: Entry) -> None:
        """The entry is durable, whole, when this returns."""
        journal = self._folders["journal"]
        staged = write_new(journal, packed(asdict(entry)), mode=0o600, owner=None)
        rename(journal, staged, _entry_name(entry.key))

    def keep(self, content: bytes) -> str:
        """The content is durable under its SHA-256 (hex) when this returns."""
        name = hashlib.sha256(content).hexdigest()
        if self.original(name) is None:
            originals = self._folders["originals"]
            rename(originals, write_new(originals, content, mode=0o600, owner=None), name)
        return name

    def original(self, sha256: str) -> bytes | None:
        """Kept content; None when it is not there, or no longer what its name says."""
        if not _KEY.fullmatch(sha256):
            return None
        found = see(self._folders["originals"], sha256)
        return found.content if found is not None and found.sha256 == sha256 else None

    @contextmanager
    def turn(self, path: str, deadline: float) -> Iterator[None]:
        """The right to change this file, until we are done or dead.

        Raises Busy at the deadline (of `time.monotonic`).
        """
        name = hashlib.sha256(path.encode()).hexdigest()
        options = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        mine = os.open(name, options, 0o600, dir_fd=self._folders["turns"])
        try:
            while not _taken(mine):
                if time.monotonic() > deadline:
                    raise Busy(f"Another process has a change of {path} in hand.")
                time.sleep(LOOK_AGAIN)
            yield
        finally:
            os.close(mine)


def _taken(turn: int) -> bool:
    try:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        if problem.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def _entry_name(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise PathRefused("The key is not the hex of a SHA-256.")
    return f"{key}.json"


@contextmanager
def kept_in(root: int, *, create: bool) -> Iterator[Kept | None]:
    """What a root keeps; None when it keeps nothing yet and none is to be created."""
    if create:
        _make(root)
    elif not _is_there(root):
        yield None
        return
    folders: dict[str, int] = {}
    try:
        folders[KEPT] = open_folder(root, KEPT, KEPT)
        for part in PARTS:
            folders[part] = open_folder(folders[KEPT], part, KEPT)
        yield Kept(folders)
    finally:
        for folder in folders.values():
            os.close(folder)


def _is_there(root: int) -> bool:
    try:
        os.stat(KEPT, dir_fd=root, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _make(root: int) -> None:
    """There is a whole one, on the disk, when this returns; a half one is never seen."""
    try:
        if not _is_there(root):
            _make_whole(root)
        os.fsync(root)
    except OSError as problem:
        raise PathRefused(f"{KEPT!r} cannot be made: {problem.strerror}.") from problem


def _make_whole(root: int) -> None:
    staged = f"{STAGED}{secrets.token_hex(16)}"
    os.mkdir(staged, 0o700, dir_fd=root)
    folder = open_folder(root, staged, KEPT)
    try:
        for part in PARTS:
            os.mkdir(part, 0o700, dir_fd=folder)
        os.fsync(folder)
        os.rename(staged, KEPT, src_dir_fd=root, dst_dir_fd=root)
    except OSError as problem:
        for part in PARTS:
            with suppress(FileNotFoundError):
                os.rmdir(part, dir_fd=folder)
        os.rmdir(staged, dir_fd=root)
        # Another process was quicker: its folder is as good as ours.
        if problem.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise
    finally:
        os.close(folder)
