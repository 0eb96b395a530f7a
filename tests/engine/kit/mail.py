"""A mail provider on this machine: a real SMTP server, a real IMAP server, and what is between.

aiosmtpd takes mail over; what it accepts is filed in pymap's mailbox `Sent`, as providers do. How
the next message is treated is told with `behave`.
"""

import asyncio
import imaplib
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from oversight.embedded import Child
from tests.faults.processes import wait_until

USER, PASSWORD = "desk", "pa55word-of-the-desk"
SENDER = "desk@shop.example"
PATIENCE = 30.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Handler:
    """Says yes and files the message, unless it was told to behave otherwise."""

    def __init__(self, file: Callable[[bytes], None]) -> None:
        self.file = file
        self.mode = "honest"
        self.taken: list[Envelope] = []

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.mode == "drop_early" and server.transport:
            server.transport.abort()
        if self.mode == "echo":
            return f"550 you are {session.auth_data} with {PASSWORD}"
        if self.mode == "refuse_sender":
            return "550 5.7.1 not from you"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.mode == "refuse_recipient" and envelope.rcpt_tos:
            return "451 4.2.1 not now"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        self.taken.append(envelope)
        treated = getattr(self, self.mode, None)
        return str(await treated(server, envelope)) if treated else "250 2.0.0 queued"

    async def filed(self, message: bytes) -> None:
        await asyncio.to_thread(self.file, message)

    # --- How a message is treated; the name is the mode ---

    async def honest(self, server: SMTP, envelope: Envelope) -> str:
        await self.filed(content(envelope))
        return "250 2.0.0 queued"

    async def swallow(self, server: SMTP, envelope: Envelope) -> str:
        return "250 2.0.0 queued"

    async def twice(self, server: SMTP, envelope: Envelope) -> str:
        await self.filed(content(envelope))
        return await self.honest(server, envelope)

    async def other_text(self, server: SMTP, envelope: Envelope) -> str:
        await self.filed(content(envelope).replace(b"25.00", b"2500.00"))
        return "250 2.0.0 queued"

    async def other_recipient(self, server: SMTP, envelope: Envelope) -> str:
        await self.filed(content(envelope).replace(b"mara@home", b"eve@home"))
        return "250 2.0.0 queued"

    async def footer(self, server: SMTP, envelope: Envelope) -> str:
        await self.filed(content(envelope).rstrip() + b"\r\nSent with a free account.\r\n")
        return "250 2.0.0 queued"

    async def refuse_text(self, server: SMTP, envelope: Envelope) -> str:
        return "554 5.7.1 looks like spam"

    async def busy_after(self, server: SMTP, envelope: Envelope) -> str:
        return "451 4.3.0 try again"

    async def drop_after(self, server: SMTP, envelope: Envelope) -> str:
        """Takes it, sends it, and is gone before it says so."""
        await self.filed(content(envelope))
        if server.transport:
            server.transport.abort()
        return "250 nobody hears it"

    async def drop_unsent(self, server: SMTP, envelope: Envelope) -> str:
        if server.transport:
            server.transport.abort()
        return "250 nobody hears it"

    async def hang_after(self, server: SMTP, envelope: Envelope) -> str:
        await self.filed(content(envelope))
        await asyncio.Event().wait()  # until the client has hung up, which ends this
        return "250 far too late"

    async def odd_after(self, server: SMTP, envelope: Envelope) -> str:
        return "399 neither yes nor no"


def content(envelope: Envelope) -> bytes:
    assert isinstance(envelope.content, bytes)
    return envelope.content


def authenticated(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
) -> AuthResult:
    right = isinstance(data, LoginPassword) and data.password == PASSWORD.encode()
    return AuthResult(success=right, handled=right)


class Provider:
    """Both servers, and what the mailbox holds."""

    def __init__(self, imap_port: int) -> None:
        self.imap_port = imap_port
        self.smtp_port = free_port()
        self.handler = Handler(self.file)

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Self]:
        port = free_port()
        where = ["--host", "127.0.0.1", "--port", str(port), "--no-tls"]
        login = ["--demo-user", USER, "--demo-password", PASSWORD]
        pymap = [sys.executable, "-c", "from pymap.main import main; main()"]
        child = Child("pymap", [*pymap, *where, "dict", *login])
        try:
            provider = cls(port)
            wait_until("the IMAP server listens", lambda: answers(port), PATIENCE)
            with provider.signed_in() as client:
                client.create("Sent")
            with provider.smtp():
                yield provider
        finally:
            child.kill()

    @contextmanager
    def smtp(self, tls: ssl.SSLContext | None = None, **more: Any) -> Iterator[int]:
        """An SMTP server in front of the same mailbox; gives its port."""
        port = free_port() if tls or more else self.smtp_port
        controller = Controller(
            self.handler,
            hostname="127.0.0.1",
            port=port,
            authenticator=authenticated,
            auth_required=True,
            auth_require_tls=tls is not None,
            tls_context=tls,
            require_starttls=tls is not None,
            **more,
        )
        controller.start()
        try:
            yield port
        finally:
            controller.stop(no_assert=True)

    @contextmanager
    def signed_in(self) -> Iterator[imaplib.IMAP4]:
        with imaplib.IMAP4("127.0.0.1", self.imap_port, timeout=PATIENCE) as client:
            client.login(USER, PASSWORD)
            yield client

    def file(self, message: bytes) -> None:
        with self.signed_in() as client:
            status, said = client.append("Sent", "", "", message)
            assert status == "OK", said

    def behave(self, mode: str) -> None:
        self.handler.mode = mode

    def taken(self, key: str) -> list[Envelope]:
        """The messages under this key that the SMTP server was handed, whatever became of them."""
        return [one for one in self.handler.taken if key.encode() in content(one)]

    def entry(self, **changed: Any) -> dict[str, Any]:
        """What PLACET_MAIL says of it."""
        who = f"{USER}:{PASSWORD}"
        return {
            "from": f"Refund desk <{SENDER}>",
            "smtp": f"smtp://{who}@127.0.0.1:{self.smtp_port}",
            "imap": f"imap://{who}@127.0.0.1:{self.imap_port}",
            "mailbox": "Sent",
            **changed,
        }


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            return connection.recv(1) == b"*"
    except OSError:
        return False
