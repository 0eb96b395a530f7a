"""A plain text mail as bytes, and what a mailbox shows of one."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from email import policy
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import format_datetime
from hashlib import sha256
from typing import Any

LONGEST_PLAIN = 60
"""Characters of a subject that surely fit on one line."""

# Seven bits everywhere: no server on the way has a reason to write the text anew.
_SEVEN_BITS = policy.SMTP.clone(cte_type="7bit")


def written(
    *,
    sender: Address,
    to: Sequence[str],
    cc: Sequence[str],
    subject: str,
    body: str,
    message_id: str,
) -> bytes:
    """The message, its lines ended by CR LF. Raises ValueError for a header that would be two."""
    message = EmailMessage(policy=_SEVEN_BITS)
    message["From"] = sender
    message["To"] = ", ".join(to)
    if cc:
        message["Cc"] = ", ".join(cc)
    message["Message-ID"] = message_id
    message["Date"] = format_datetime(datetime.now(UTC))
    message.set_content(body)
    return b"Subject: %b\r\n%b" % (_subject(subject), message.as_bytes())


def _subject(text: str) -> bytes:
    """The newer header classes lose spaces between encoded words (RFC 2047); this one does not."""
    plain = text.isascii() and len(text) <= LONGEST_PLAIN and "  " not in text and "=?" not in text
    charset = "us-ascii" if plain else "utf-8"
    return Header(text, charset, header_name="Subject").encode(linesep="\r\n").encode()


def seen_in(messages: Iterable[bytes], message_id: str) -> dict[str, Any]:
    """What a mailbox shows of the message with exactly this Message-ID: how often, and the first.

    IMAP finds parts of headers, too; those are left out here.
    """
    parsed = [BytesParser(policy=policy.default).parsebytes(raw) for raw in messages]
    ours = [message for message in parsed if str(message["Message-ID"]).strip() == message_id]
    first = _shown(ours[0]) if ours else {}
    return {"copies": len(ours), **first}


def _shown(message: EmailMessage) -> Mapping[str, Any]:
    leaves = [part for part in message.walk() if not part.is_multipart()]
    return {
        "from": _addresses(message, "From"),
        "to": _addresses(message, "To"),
        "cc": _addresses(message, "Cc"),
        "bcc": _addresses(message, "Bcc"),
        "subject": _printable(str(message["Subject"] or "")),
        "parts": len(leaves),
        "text_sha256": text_hash(_text(leaves[0])) if leaves else None,
    }


def _addresses(message: EmailMessage, header: str) -> list[str]:
    found = [address for one in message.get_all(header, []) for address in one.addresses]
    return [_printable(text) for text in folded(address.addr_spec for address in found)]


def folded(addresses: Iterable[str]) -> list[str]:
    """In one order, domains in small letters; what stands before the @ is the recipient's own."""
    parts = [address.rpartition("@") for address in addresses]
    return sorted(f"{local}@{domain.lower()}" for local, _, domain in parts)


def _text(part: EmailMessage) -> str:
    if part.get_content_type() != "text/plain":
        return ""
    try:
        return str(part.get_content())
    except (LookupError, ValueError):
        return ""


def text_hash(text: str) -> str:
    """Mail ends lines its own way and always ends the last one: neither makes a difference."""
    lines = text.replace("\r\n", "\n").rstrip("\n")
    return sha256(lines.encode("utf-8", "replace")).hexdigest()


def _printable(text: str) -> str:
    """What a server made up, as text that can be kept."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\N{REPLACEMENT CHARACTER}")
