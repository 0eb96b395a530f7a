"""Ports that nobody else answers on: one for the web page, and others for what only we call."""

import errno
import socket
from collections.abc import Callable, Mapping
from contextlib import ExitStack

_DEFAULT = 8000
_TRIED = 100


class PortTaken(RuntimeError):
    """The port that was asked for is somebody else's."""


def choose(environ: Mapping[str, str], say: Callable[[str], None]) -> int:
    """Return PLACET_PORT, which must be free, or else the first free port from 8000 on."""
    if asked := environ.get("PLACET_PORT"):
        if not _is_free(int(asked)):
            raise PortTaken(f"Port {asked} is taken. Name another one in PLACET_PORT.")
        return int(asked)
    port = next(filter(_is_free, range(_DEFAULT, _DEFAULT + _TRIED)), None)
    if port is None:
        raise PortTaken(f"Ports {_DEFAULT} to {_DEFAULT + _TRIED - 1} are taken. Set PLACET_PORT.")
    if port != _DEFAULT:
        say(f"Port {_DEFAULT} is taken; using {port}.")
    return port


def free_ports(count: int) -> list[int]:
    """Return so many different ports of 127.0.0.1 that are free at this moment."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


def _is_free(port: int) -> bool:
    # Browsers try both addresses of `localhost`, so on neither may somebody else be listening.
    return all(
        _can_listen(family, address, port)
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
    )


def _can_listen(family: socket.AddressFamily, address: str, port: int) -> bool:
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as problem:
        return problem.errno != errno.EADDRINUSE  # anything else: no such address here
    return True
