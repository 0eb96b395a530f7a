"""Look up a sent message, by its Message-ID, where the provider files what was sent (RFC 9051).

The mailbox is opened for reading only; nothing is marked, moved or written.
"""

import imaplib
import re
from typing import Any

from engine.actions import Refused

from .accounts import Account, Server, insist_on_this_machine
from .cutting_off import CutOff
from .failures import CallFailed, Dropped, Misconfigured, Oversize, TimedOut, Unexpected

LARGEST_MESSAGE = 1024 * 1024
MOST_COPIES = 5
"""More copies than this are not fetched: they are too many anyway."""

_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


def copies_of(account: Account, message_id: str, seconds: float) -> list[bytes]:
    """The messages in the account's mailbox that may bear this Message-ID, as bytes.

    Raises CallFailed or Refused when the mailbox could not be read; then nothing is known.
    """
    if account.imap is None:
        raise Misconfigured(f"The account {account.name!r} has no mailbox.")
    with CutOff(seconds) as cut_off:
        try:
            return _looked_up(account.imap, account.mailbox, message_id, cut_off)
        except (CallFailed, Refused):
            raise
        # Its cause is cut off: a mail library may quote what it was given to sign in with.
        except Exception as problem:
            raise _failure(problem, account.imap, cut_off) from None


def _failure(problem: Exception, server: Server, cut_off: CutOff) -> CallFailed:
    if cut_off.fired or isinstance(problem, TimeoutError):
        return TimedOut(f"{server.text} gave no whole answer in the time allowed.")
    words = problem.strerror if isinstance(problem, OSError) else None
    return Dropped(f"{server.text} could not be read: {words or type(problem).__name__}.")


def _looked_up(server: Server, mailbox: str, message_id: str, cut_off: CutOff) -> list[bytes]:
    client = _client(server, cut_off)
    try:
        _sign_in(client, server)
        _told(client.select(f'"{mailbox}"', readonly=True), f"open {mailbox!r}")
        (found,) = _told(client.uid("SEARCH", "HEADER", "Message-ID", f'"{message_id}"'), "search")
        return [_fetched(client, uid.decode()) for uid in (found or b"").split()[:MOST_COPIES]]
    finally:
        client.shutdown()


def _sign_in(client: imaplib.IMAP4, server: Server) -> None:
    if server.user is None or server.password is None:
        return
    try:
        client.login(server.user, server.password)
    except imaplib.IMAP4.abort:
        raise
    except imaplib.IMAP4.error:
        raise Unexpected(f"{server.text} did not let us sign in.") from None


def _fetched(client: imaplib.IMAP4, uid: str) -> bytes:
    size = _SIZE.search(_joined(_told(client.uid("FETCH", uid, "(RFC822.SIZE)"), "measure")))
    if size is None or int(size[1]) > LARGEST_MESSAGE:
        raise Oversize(f"A message in the mailbox is larger than {LARGEST_MESSAGE} bytes.")
    parts = _told(client.uid("FETCH", uid, "(BODY.PEEK[])"), "fetch")
    return b"".join(part[1] for part in parts if isinstance(part, tuple))


def _told(reply: tuple[str, list[Any]], what: str) -> list[Any]:
    status, data = reply
    if status != "OK":
        raise Unexpected(f"The mail server did not let us {what}.")
    return data


def _joined(parts: list[Any]) -> bytes:
    return b" ".join(part if isinstance(part, bytes) else b" ".join(part) for part in parts if part)


def _client(server: Server, cut_off: CutOff) -> imaplib.IMAP4:
    how: dict[str, Any] = {"host": server.host, "port": server.port, "timeout": cut_off.seconds}
    if server.secured:
        return _SecuredClient(cut_off, ssl_context=server.context, **how)
    client = _Client(cut_off, **how)
    try:
        if "STARTTLS" in client.capabilities:
            client.starttls(server.context)
        else:
            insist_on_this_machine(client.socket(), server)
    except BaseException:
        client.shutdown()
        raise
    return client


class _Watched:
    """Watched from before its first byte, and never made to hold more than is asked for."""

    def __init__(self, cut_off: CutOff, **how: Any) -> None:
        cut_off.watch(self)
        super().__init__(**how)

    def read(self, size: int) -> bytes:
        if size > 2 * LARGEST_MESSAGE:
            raise Oversize("The mail server announced more than a message of ours can be.")
        return bytes(super().read(size))  # type: ignore[misc]


class _Client(_Watched, imaplib.IMAP4):
    pass


class _SecuredClient(_Watched, imaplib.IMAP4_SSL):
    pass
