"""The outside services that may be called, each under a name in the settings.

PLACET_HTTP_TARGETS = {
    "access": {
        "base_url": "https://access.example/api",
        "headers": {"Authorization": "Bearer …"},   # secrets: sent, never kept or shown
        "allow_private": False,                     # may it lie on a private network?
        "ca_file": None,                            # its own certificate authority, if any
    }
}
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from .addresses import resolved
from .failures import Misconfigured
from .redaction import Redaction
from .wire import USUAL_PORTS, Course, Origin, Reply, Request, exchange

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_OURS = ("host", "connection", "content-length", "transfer-encoding", "content-type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One entry of `PLACET_HTTP_TARGETS`, checked."""

    scheme: str
    host: str
    port: int
    prefix: str
    headers: Mapping[str, str]
    allow_private: bool
    ca_file: str | None

    @classmethod
    def named(cls, name: str) -> "Service":
        """Raises Misconfigured; no message of it holds a header's value or the whole address."""
        entry = getattr(settings, "PLACET_HTTP_TARGETS", {}).get(name) or {}
        scheme, host, port, prefix = _address(name, entry.get("base_url") or "")
        headers = dict(entry.get("headers") or {})
        check_headers(headers, f"a header of {name!r}")
        return cls(
            scheme=scheme,
            host=host,
            port=port,
            prefix=prefix,
            headers=headers,
            allow_private=entry.get("allow_private") is True,
            ca_file=entry.get("ca_file"),
        )

    @property
    def redaction(self) -> Redaction:
        return Redaction(self.headers.values())

    def call(self, request: Request, seconds: float) -> Reply:
        """One request to this service, and to nobody else."""
        course = Course(seconds)
        addresses = resolved(
            self.host, self.port, allow_private=self.allow_private, seconds=course.left()
        )
        origin = Origin(
            scheme=self.scheme,
            host=self.host,
            port=self.port,
            addresses=addresses,
            ca_file=self.ca_file,
        )
        return exchange(origin, request, course)


def _address(name: str, base_url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and path prefix. User names and passwords belong into headers."""
    base, port = _split(name, base_url)
    host = base.hostname or ""
    if base.scheme not in USUAL_PORTS or not host or not host.isascii():
        raise Misconfigured(f"The base_url of {name!r} in PLACET_HTTP_TARGETS is no http address.")
    if base.username or base.password or base.query or base.fragment:
        raise Misconfigured(f"The base_url of {name!r} has more than a host, a port and a path.")
    return base.scheme, host, port or USUAL_PORTS[base.scheme], base.path.rstrip("/")


def _split(name: str, base_url: str) -> tuple[SplitResult, int | None]:
    try:
        base = urlsplit(base_url)
        return base, base.port
    except ValueError:
        raise Misconfigured(f"The base_url of {name!r} is no address.") from None


def check_headers(headers: Mapping[str, str], whose: str) -> None:
    """Raises Misconfigured for a name or value that would be more than one header."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or name.lower() in _OURS:
            raise Misconfigured(f"{name!r} cannot be {whose}.")
        if not isinstance(value, str) or not _HEADER_VALUE.fullmatch(value):
            raise Misconfigured(f"The value of {name!r}, {whose}, is not one line of ASCII text.")
