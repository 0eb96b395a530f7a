"""The shop's mail provider: SMTP takes mail over, IMAP shows what was sent. A script, not imported.

    python mail.py --folder FOLDER --smtp PORT --imap PORT

aiosmtpd in front, pymap behind it on a maildir in FOLDER/mail: whatever SMTP accepts is filed in
the mailbox `Sent`, as providers do. Nothing leaves this machine. DESK_SECRET in the environment is
the password of the one user, `desk`.
"""

import argparse
import asyncio
import imaplib
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from pymap import main as pymap_main
from pysasl.hashing import BuiltinHash

USER, MAILBOX = "desk", "Sent"
PATIENCE_SECONDS = 60.0


class Provider:
    """What SMTP asks: whether to take a message, and where it goes."""

    def __init__(self, imap_port: int, secret: str) -> None:
        self._port, self._secret = imap_port, secret

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not session.authenticated:
            return "530 5.7.0 say who you are"
        envelope.mail_from = address
        return "250 2.1.0 OK"

    async def handle_DATA(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        message = envelope.content if isinstance(envelope.content, bytes) else b""
        try:
            await asyncio.to_thread(self._file, message)
        except (OSError, imaplib.IMAP4.error) as problem:
            print(f"not filed: {problem}", flush=True)
            return "451 4.3.0 try again later"
        print(f"sent to {', '.join(envelope.rcpt_tos)}", flush=True)
        return "250 2.0.0 sent and filed"

    def authenticated(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        right = isinstance(data, LoginPassword) and data.password == self._secret.encode()
        return AuthResult(success=right, handled=right)

    def make_mailbox(self) -> None:
        """Where it is missing: pymap stumbles over one that is there."""
        with self._signed_in() as client:
            if client.select(MAILBOX, readonly=True)[0] != "OK":
                client.create(MAILBOX)

    def _file(self, message: bytes) -> None:
        with self._signed_in() as client:
            status, said = client.append(MAILBOX, "", "", message)
            if status != "OK":
                raise imaplib.IMAP4.error(f"{said!r}")

    def _signed_in(self) -> imaplib.IMAP4:
        client = imaplib.IMAP4("127.0.0.1", self._port, timeout=10)
        client.login(USER, self._secret)
        return client


def write_users(folder: Path, secret: str) -> None:
    """The one user and the hash of its password, as pymap's maildir reads them."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The password is 32 random bytes: nobody gains from guessing, so few rounds will do.
    hashed = BuiltinHash(rounds=1000).hash(secret)
    private = {
        "pymap-etc-passwd": f"{USER}:x::::{USER}:\n",
        "pymap-etc-shadow": f"{USER}:{hashed}\n",
    }
    for name, text in private.items():
        file = folder / name
        file.touch(mode=0o600)
        file.write_text(text, encoding="ascii")


def serve_smtp(port: int, provider: Provider, imap_port: int) -> None:
    """Take mail over as soon as the mailbox it goes to is there, and say so."""
    try:
        wait_for(imap_port)
        provider.make_mailbox()
        start_smtp(port, provider)
    except Exception as problem:
        # Half a mail service is none: the process ends, and whoever watches it starts another.
        print(f"the mail service cannot start: {problem}", flush=True)
        os._exit(1)
    print(f"mail service listening on {port} (SMTP) and {imap_port} (IMAP)", flush=True)


def start_smtp(port: int, provider: Provider) -> None:
    Controller(
        provider,
        hostname="127.0.0.1",
        port=port,
        authenticator=provider.authenticated,
        auth_require_tls=False,
    ).start()


def wait_for(port: int) -> None:
    """pymap tells nobody when it listens, so it has to be looked for."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    for name in ("--smtp", "--imap"):
        parser.add_argument(name, type=int, required=True)
    options = parser.parse_args()
    secret, mail = os.environ["DESK_SECRET"], options.folder / "mail"
    write_users(mail, secret)
    provider = Provider(options.imap, secret)
    threading.Thread(
        target=serve_smtp, args=[options.smtp, provider, options.imap], daemon=True
    ).start()
    where = ["--host", "127.0.0.1", "--port", str(options.imap), "--no-tls"]
    sys.argv = ["pymap", *where, "maildir", str(mail)]
    pymap_main.main()


if __name__ == "__main__":
    main()
