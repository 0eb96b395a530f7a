"""The mail accounts that may be used, each under a name in the settings.

    PLACET_MAIL = {
        "desk": {
            "from": "Refund desk <desk@shop.example>",
            "smtp": "smtps://user:password@mail.shop.example",
            "imap": "imaps://user:password@mail.shop.example",  # left out: nothing can be checked
            "mailbox": "Sent",     # where the provider itself files what was sent
            "ca_file": None,       # its own certificate authority, if any
        }
    }

`smtps` and `imaps` are TLS from the start; `smtp` and `imap` are upgraded with STARTTLS before a
password is given. Only a server on this machine may go without. In user name and password, special
characters are percent-encoded.
"""

import ipaddress
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from django.conf import settings

from .failures import Misconfigured, NotSent
from .redaction import Redaction

PORTS = {"smtp": 587, "smtps": 465, "imap": 143, "imaps": 993}
_MAILBOX = re.compile(r"[A-Za-z0-9 ._/\-\[\]&+,]{1,200}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One address of `PLACET_MAIL`, taken apart."""

    scheme: str
    host: str
    port: int
    user: str | None = field(repr=False)
    password: str | None = field(repr=False)
    ca_file: str | None

    @property
    def secured(self) -> bool:
        """TLS from the first byte on."""
        return self.scheme.endswith("s")

    @property
    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.ca_file)

    @property
    def text(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One entry of `PLACET_MAIL`, checked."""

    name: str
    sender: Address
    smtp: Server
    imap: Server | None
    mailbox: str

    @classmethod
    def named(cls, name: str) -> "Account":
        """Raises Misconfigured; no message of it holds an address of a server or a password."""
        entry = entry_of(name)
        imap = entry.get("imap")
        return cls(
            name=name,
            sender=_sender(name, str(entry.get("from") or "")),
            smtp=_server(name, "smtp", str(entry.get("smtp") or ""), entry.get("ca_file")),
            imap=_server(name, "imap", str(imap), entry.get("ca_file")) if imap else None,
            mailbox=_mailbox(name, entry),
        )

    @property
    def redaction(self) -> Redaction:
        servers = [self.smtp, *([self.imap] if self.imap else [])]
        return Redaction([server.password for server in servers if server.password])


def entry_of(name: str) -> Mapping[str, Any]:
    return getattr(settings, "PLACET_MAIL", {}).get(name) or {}


def can_be_asked(name: str) -> bool:
    """Has this account a mailbox in which a sent message can be looked up?"""
    return bool(entry_of(name).get("imap"))


def _sender(name: str, text: str) -> Address:
    try:
        message = EmailMessage()
        message["From"] = text
        (sender,) = message["From"].addresses
    except ValueError:
        raise Misconfigured(f"PLACET_MAIL: `from` of {name!r} is not one address.") from None
    if not sender.domain or not sender.addr_spec.isascii():
        raise Misconfigured(f"PLACET_MAIL: `from` of {name!r} is not one address.")
    return sender


def _mailbox(name: str, entry: Mapping[str, Any]) -> str:
    mailbox = str(entry.get("mailbox") or "Sent")
    if not _MAILBOX.fullmatch(mailbox):
        raise Misconfigured(f"PLACET_MAIL: `mailbox` of {name!r} is no name that IMAP can carry.")
    return mailbox


def _server(name: str, kind: str, address: str, ca_file: str | None) -> Server:
    wrong = Misconfigured(f"PLACET_MAIL: `{kind}` of {name!r} is no address of the kind {kind}://.")
    try:
        split = urlsplit(address)
        port = split.port
    except ValueError:
        raise wrong from None
    if split.scheme not in (kind, f"{kind}s") or not split.hostname:
        raise wrong
    if split.path not in ("", "/") or split.query or split.fragment:
        raise wrong
    return Server(
        scheme=split.scheme,
        host=split.hostname,
        port=port or PORTS[split.scheme],
        user=_decoded(split, "username"),
        password=_decoded(split, "password"),
        ca_file=ca_file,
    )


def _decoded(split: SplitResult, part: str) -> str | None:
    value = getattr(split, part)
    return unquote(value) if value else None


def insist_on_this_machine(connected: socket.socket, server: Server) -> None:
    """No TLS on offer: nobody but this machine may listen. Raises NotSent."""
    if not ipaddress.ip_address(_peer(connected)).is_loopback:
        raise NotSent(f"{server.text} offers no encryption; nothing was said to it.")


def _peer(connected: socket.socket) -> str:
    return str(connected.getpeername()[0]).partition("%")[0]
