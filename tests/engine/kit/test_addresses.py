"""Which addresses may be called: the table, and names that do not keep to one place."""

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from engine.kit import addresses
from engine.kit.failures import AddressRefused, NotSent

PUBLIC = ("93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e")
INSIDE = (
    "10.0.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.8",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "240.0.0.1",
    "::1",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:93.184.216.34",
    "::ffff:0:10.0.0.1",
    "::127.0.0.1",
    "::93.184.216.34",
    "64:ff9b::7f00:1",
    "64:ff9b::5db8:d822",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::1",
    "2002:5db8:d822::1",
    "2001::1",
    "2001:db8::1",
    "100::1",
)
NEVER = ("0.0.0.0", "0.1.2.3", "255.255.255.255", "224.0.0.1", "239.1.1.1", "::", "ff02::1")  # noqa: S104


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_may_be_called(address: str) -> None:
    assert addresses.why_not(address, allow_private=False) is None


@pytest.mark.parametrize("address", INSIDE)
def test_an_address_inside_may_be_called_only_where_that_is_allowed(address: str) -> None:
    assert addresses.why_not(address, allow_private=False) == "not a public address"
    assert addresses.why_not(address, allow_private=True) is None


@pytest.mark.parametrize("address", NEVER)
def test_an_address_of_no_server_may_never_be_called(address: str) -> None:
    assert addresses.why_not(address, allow_private=True) == "no address of a server"


def answers(*found: str) -> Callable[..., list[Any]]:
    """A resolver that gives these addresses."""

    def resolver(host: str, port: int, **more: Any) -> list[Any]:
        return [
            (
                socket.AF_INET6 if ":" in address else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (address, port),
            )
            for address in found
        ]

    return resolver


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "localhost"])
def test_whatever_a_loopback_address_is_called_it_is_refused(host: str) -> None:
    with pytest.raises(AddressRefused, match="not a public address"):
        addresses.resolved(host, 80, allow_private=False, seconds=5)


def test_a_name_that_points_inside_and_outside_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("93.184.216.34", "10.0.0.1"))

    with pytest.raises(AddressRefused, match=r"10\.0\.0\.1"):
        addresses.resolved("both.example", 443, allow_private=False, seconds=5)


def test_an_unknown_name_means_that_nothing_was_sent() -> None:
    with pytest.raises(NotSent, match="could not be resolved"):
        addresses.resolved("no-such-host.invalid", 80, allow_private=True, seconds=10)


def test_a_resolver_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def silent(*asked: Any, **more: Any) -> list[Any]:
        over.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", silent)

    began = time.monotonic()
    with pytest.raises(NotSent, match="did not answer in time"):
        addresses.resolved("slow.example", 80, allow_private=True, seconds=0.2)

    assert time.monotonic() - began < 5
    over.set()
