"""Which addresses a call may go to, decided on the address itself, resolved once.

Whoever controls a name controls where it points, also between a look and the call: so the name
is resolved a single time, every address found is judged, and the connection is made to exactly
those. Sources: the IANA special-purpose address registries (RFC 6890), RFC 4291 2.5.5 (IPv4 in
IPv6), RFC 3056 (6to4), RFC 4380 (Teredo), RFC 6052 and RFC 8215 (NAT64).
"""

import ipaddress
import socket
import threading
from dataclasses import dataclass
from typing import Any

from .failures import AddressRefused, NotSent

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

NEVER = (
    "0.0.0.0/8",
    "224.0.0.0/4",
    "255.255.255.255/32",
    "::/128",
    "ff00::/8",
)
"""No server of anybody's: unspecified, multicast, broadcast."""

INSIDE = (
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    "::/96",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
)
"""Private, shared, loopback, link-local, reserved, for documents; and every way to wrap an IPv4
address into an IPv6 one. Only a target with `allow_private` may lie there."""

_NEVER = [ipaddress.ip_network(network) for network in NEVER]
_INSIDE = [ipaddress.ip_network(network) for network in INSIDE]


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One address to connect to, as the socket module wants it."""

    family: int
    sockaddr: tuple[Any, ...]

    @property
    def text(self) -> str:
        return str(self.sockaddr[0])


def why_not(address: str, *, allow_private: bool) -> str | None:
    """Why this address may not be called; None when it may."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if _within(found, _NEVER):
        return "no address of a server"
    if allow_private or (found.is_global and not _within(found, _INSIDE)):
        return None
    return "not a public address"


def _within(address: IPAddress, networks: list[Any]) -> bool:
    return any(address in network for network in networks)


def resolved(host: str, port: int, *, allow_private: bool, seconds: float) -> list[Address]:
    """Every address that the name stands for right now, all of them judged.

    Raises AddressRefused if one of them may not be called: a name that mixes inside and outside
    is not to be trusted in either. Raises NotSent when the name is unknown or nobody answers.
    """
    found = _looked_up(host, port, seconds)
    for address in found:
        if why := why_not(address.text, allow_private=allow_private):
            raise AddressRefused(f"{host} is {address.text}: {why}.")
    return found


def _looked_up(host: str, port: int, seconds: float) -> list[Address]:
    """The system's resolver has no time limit of its own, hence the thread: it may stay behind."""
    answers: list[list[Address]] = []
    problems: list[Exception] = []

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.append([Address(family=row[0], sockaddr=row[4]) for row in rows])
        except (OSError, UnicodeError) as problem:
            problems.append(problem)

    asking = threading.Thread(target=ask, daemon=True, name="placet-resolver")
    asking.start()
    asking.join(max(seconds, 0.0))
    if answers and answers[0]:
        return answers[0]
    why = str(problems[0]) if problems else "the resolver did not answer in time"
    raise NotSent(f"The name {host} could not be resolved: {why}.")
