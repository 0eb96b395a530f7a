"""What the demo keeps in its folder: a secret, logs, and while it runs how to reach it."""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from oversight.embedded.folders import discard, short_private_folder
from oversight.embedded.guardian import guardian
from oversight.environment import DEMO_ENVIRONMENT


def secret_key(data: Path) -> str:
    """Return the installation's secret, made at the first call, mode 0600."""
    kept = data / "secret.key"
    if not kept.exists():
        _write_private(kept, secrets.token_urlsafe(64))
    return kept.read_text(encoding="utf-8").strip()


def empty_logs(data: Path) -> Path:
    """Return the folder of the logs, mode 0700, without those of earlier runs."""
    logs = data / "logs"
    logs.mkdir(mode=0o700, exist_ok=True)
    for old in logs.glob("*.log"):
        old.unlink()
    return logs


@contextmanager
def written_down(environment: Mapping[str, str], data: Path) -> Iterator[None]:
    """Let `manage.py` find the running demo until the block, or this process, ends."""
    path = data / DEMO_ENVIRONMENT
    guardian().watch_path(path)
    _write_private(path, "".join(f"{key}={value}\n" for key, value in environment.items()))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        guardian().release_path(path)


@contextmanager
def passing_folder() -> Iterator[Path]:
    """Give a folder for what killed workers leave in their folder for temporary files."""
    folder = short_private_folder()
    try:
        yield folder
    finally:
        discard(folder)


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
