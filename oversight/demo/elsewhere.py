"""What the page of the world reads beside the ledger, past Placet: each target on a connection of
its own, each as the target itself tells it."""

import imaplib
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from email import policy
from email.parser import BytesParser
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from django.conf import settings

LATEST = 8
LARGEST_FILE = 16 * 1024
_PATIENCE_SECONDS = 2.0
T = TypeVar("T")
_TROUBLE = (OSError, HTTPException, imaplib.IMAP4.error, ValueError, KeyError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One mail in the mailbox of what was sent."""

    subject: str
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One grant as the access service tells it; `until` is None while it stands."""

    number: str
    name: str
    role: str
    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """The targets beside the ledger; None for one that cannot be reached.

    `mark` changes whenever anything in them does.
    """

    tape: str | None
    letters: tuple[Letter, ...] | None
    grants: tuple[Grant, ...] | None
    files: tuple[ConfigFile, ...] | None

    @property
    def mark(self) -> str:
        return sha256(repr(self).encode("utf-8", "replace")).hexdigest()[:16]


def elsewhere() -> Elsewhere:
    """Waits for no target longer than a few seconds, and fails for none."""
    return Elsewhere(
        tape=_or_none(_tape),
        letters=_or_none(_letters),
        grants=_or_none(_grants),
        files=_or_none(_files),
    )


def _or_none(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except _TROUBLE:
        return None


def _tape() -> str:
    """The last lines that went out to a pager; the paper itself, for the line cannot be asked."""
    tape = Path(settings.PLACET_PAGER_TAPE or "/nowhere")
    if not tape.parent.is_dir():
        raise FileNotFoundError(tape)
    lines = tape.read_text(encoding="utf-8").splitlines() if tape.exists() else []
    return "\n".join(lines[-LATEST:])


def _letters() -> tuple[Letter, ...]:
    """The newest mails in the mailbox, the newest first."""
    server = urlsplit(settings.PLACET_MAIL["desk"]["imap"])
    with imaplib.IMAP4(server.hostname or "", server.port or 143, _PATIENCE_SECONDS) as client:
        client.login(unquote(server.username or ""), unquote(server.password or ""))
        _, [count] = client.select(settings.PLACET_MAIL["desk"]["mailbox"], readonly=True)
        last = int(count or 0)
        if not last:
            return ()
        _, parts = client.fetch(
            f"{max(1, last - LATEST + 1)}:{last}", "(BODY.PEEK[HEADER.FIELDS (SUBJECT TO)])"
        )
    return tuple(_letter(part[1]) for part in reversed(parts) if isinstance(part, tuple))


def _letter(header: bytes) -> Letter:
    found = BytesParser(policy=policy.default).parsebytes(header)
    return Letter(subject=str(found["Subject"] or ""), to=str(found["To"] or ""))


def _grants() -> tuple[Grant, ...]:
    """What the access service holds, the newest first."""
    service = settings.PLACET_HTTP_TARGETS["access"]
    asked = Request(f"{service['base_url']}/grants", headers=service["headers"])  # noqa: S310
    # Straight there: what a proxy of this machine is for is not this.
    opener = build_opener(ProxyHandler({}))
    with closing(opener.open(asked, timeout=_PATIENCE_SECONDS)) as answer:
        rows = json.load(answer)["grants"]
    return tuple(
        Grant(
            number=row["id"],
            name=row["name"],
            role=row["role"],
            since=datetime.fromisoformat(row["granted_at"]),
            until=datetime.fromisoformat(row["revoked_at"]) if row["revoked_at"] else None,
        )
        for row in rows[:LATEST]
    )


def _files() -> tuple[ConfigFile, ...]:
    """The files of the shop's configuration, as they lie in their folder."""
    folder = Path(settings.PLACET_FILE_ROOTS["shop"])
    if not folder.is_dir():
        raise FileNotFoundError(folder)
    return tuple(
        ConfigFile(name=file.name, text=_text(file)) for file in sorted(folder.glob("*.ini"))
    )


def _text(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.read(LARGEST_FILE).decode("utf-8", "replace")
