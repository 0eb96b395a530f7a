"""Take each guard of `guards.toml` out of a copy of the project and see its test fail.

`.venv/bin/python -m tests.guards [WORDS …]`: all guards, or those whose names have all the words.
That every test passes with its guard is what `make test` shows. Exit code 0: each fails without
it; 1: some do not.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_suffix(".toml")
SOME_FAILED = 1
"""Pytest's exit code; others say that a test was not found, or that it could not be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A guard: where it stands, what takes its place, and the test that misses it."""

    name: str
    file: str
    find: str
    test: str
    instead: str = ""
    after: str = ""

    def taken_out(self, text: str) -> str:
        """`text` without the guard. Raises ValueError unless it stands there as described."""
        place = text.index(self.find, text.index(self.after))
        if not self.after and text.count(self.find) != 1:
            raise ValueError(f"{self.file}: more than one place is meant by {self.find!r}")
        return text[:place] + self.instead + text[place + len(self.find) :]


def guards(words: Sequence[str] = ()) -> list[Guard]:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))["guard"]
    known = [Guard(**entry) for entry in table]
    return [guard for guard in known if all(word in guard.name for word in words)]


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of every file that belongs to the project, on the same environment."""
    with tempfile.TemporaryDirectory(prefix="guards-") as folder:
        copy = Path(folder)
        listed = ["git", "ls-files", "-z"]
        names = subprocess.run(listed, cwd=PROJECT, check=True, capture_output=True).stdout
        for name in filter(None, names.decode().split("\0")):
            if (PROJECT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(PROJECT / name, copy / name)
        yield copy


def outcome(copy: Path, test: str) -> int:
    """Pytest's exit code for one test in the copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False)
    return done.returncode


def is_missed(copy: Path, guard: Guard) -> bool:
    """Whether the guard's test fails without it."""
    path = copy / guard.file
    whole = path.read_text(encoding="utf-8")
    path.write_text(guard.taken_out(whole), encoding="utf-8")
    try:
        return outcome(copy, guard.test) == SOME_FAILED
    finally:
        path.write_text(whole, encoding="utf-8")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(words: Sequence[str]) -> int:
    chosen, idle = guards(words), []
    with copied() as copy:
        for number, guard in enumerate(chosen, 1):
            missed = is_missed(copy, guard)
            say(f"{number:3}/{len(chosen)}  {'missed' if missed else 'IDLE':<8}{guard.name}")
            idle += [] if missed else [guard.name]
    say(f"{len(chosen) - len(idle)} of {len(chosen)} guards are missed when taken out.")
    return 1 if idle or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
