"""One HTTP/1.1 exchange on a connection of its own, pinned to an address, bounded in time and size.

Built on httpcore, the engine room of httpx, for what it leaves out: it follows no redirect, reads
no proxy from the environment, keeps no cookies and unpacks no compressed bodies. The two things
that it is given here are public extension points: where connections come from, and their stream.
"""

import socket
import ssl
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpcore

from .addresses import Address
from .failures import CallFailed, Dropped, NotSent, Oversize, TimedOut, Unusable

USUAL_PORTS = {"http": 80, "https": 443}
LARGEST_REPLY = 1024 * 1024
LARGEST_FRAME = 64 * 1024
"""What status line, headers and chunk sizes may take beside the body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a request goes: the name that TLS verifies, and the addresses it may be found at."""

    scheme: str
    host: str
    port: int
    addresses: Sequence[Address]
    ca_file: str | None = None

    @property
    def authority(self) -> str:
        """The Host header."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == USUAL_PORTS[self.scheme] else f"{name}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent; names of headers in small letters, each at most once."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Course:
    """How one exchange goes: the time that is left, and whether anything was sent or ended."""

    def __init__(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds
        self.sent = self.ended = False
        self.received = 0

    def left(self) -> float:
        """Seconds until the deadline. Raises TimeoutError after it."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time allowed is over")
        return left

    def receive(self, size: int) -> None:
        self.ended = size == 0
        self.received += size
        if self.received > LARGEST_REPLY + LARGEST_FRAME:
            raise Oversize(f"The answer is larger than {LARGEST_REPLY} bytes.")


def exchange(origin: Origin, request: Request, course: Course) -> Reply:
    """Send the request once and read the whole answer.

    Raises NotSent when no byte of it can have left, else TimedOut, Dropped, Oversize, Unusable.
    """
    try:
        return _exchanged(origin, request, course)
    except (CallFailed, NotSent):
        raise
    # Its cause is cut off: a protocol library may quote the headers it was given.
    except Exception as problem:
        raise _failure(problem, origin, course) from None


def _exchanged(origin: Origin, request: Request, course: Course) -> Reply:
    pinned = _Pinned(origin.addresses, course)
    always = {"host": origin.authority, "connection": "close"}
    headers = {"accept-encoding": "identity", **request.headers, **always}
    url = httpcore.URL(
        scheme=origin.scheme.encode(),
        host=origin.host.encode(),
        port=origin.port,
        target=request.target.encode(),
    )
    with (
        httpcore.ConnectionPool(network_backend=pinned, ssl_context=_tls(origin)) as pool,
        pool.stream(
            request.method, url, headers=list(headers.items()), content=request.body
        ) as response,
    ):
        return Reply(
            status=response.status,
            headers=_plain(response.headers),
            body=b"".join(response.iter_stream()),
        )


def _tls(origin: Origin) -> ssl.SSLContext | None:
    if origin.scheme != "https":
        return None
    return ssl.create_default_context(cafile=origin.ca_file)


def _plain(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def _failure(problem: Exception, origin: Origin, course: Course) -> Exception:
    if not course.sent:
        why = str(problem) if isinstance(problem, httpcore.ConnectError) else type(problem).__name__
        return NotSent(f"Nothing was sent to {origin.authority}: {why}.")
    if isinstance(problem, httpcore.TimeoutException | TimeoutError):
        return TimedOut(f"{origin.authority} gave no whole answer in the time allowed.")
    if isinstance(problem, httpcore.NetworkError) or course.ended:
        return Dropped(f"{origin.authority} ended the connection before the whole answer.")
    return Unusable(f"{origin.authority} answered with something that is not HTTP/1.1.")


def _words(problem: OSError | None) -> str:
    """Why there is no connection, in words that quote nothing."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"its certificate is not good ({problem.verify_message})"
    if isinstance(problem, TimeoutError):
        return "it could not be reached in the time allowed"
    return (problem.strerror if problem else None) or type(problem).__name__


class _Pinned(httpcore.NetworkBackend):
    """Connects to the given addresses and to no other, whatever host is asked for."""

    def __init__(self, addresses: Sequence[Address], course: Course) -> None:
        self._addresses, self._course = addresses, course

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:
        problem: OSError | None = None
        for position, address in enumerate(self._addresses):
            try:
                return _Stream(self._connected(address, position), self._course)
            except OSError as found:
                problem = found
        raise httpcore.ConnectError(_words(problem))

    def _connected(self, address: Address, position: int) -> socket.socket:
        connecting = socket.socket(address.family, socket.SOCK_STREAM)
        try:
            # No silent address may use up the time of those after it.
            connecting.settimeout(self._course.left() / (len(self._addresses) - position))
            connecting.connect(address.sockaddr)
            connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            connecting.close()
            raise
        return connecting


class _Stream(httpcore.NetworkStream):
    """A connected socket on which every single wait ends at the deadline of the whole exchange."""

    def __init__(self, connected: socket.socket, course: Course) -> None:
        self._socket, self._course = connected, course

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            self._socket.settimeout(self._course.left())
            received = self._socket.recv(max_bytes)
        except TimeoutError as late:
            raise httpcore.ReadTimeout() from late
        except OSError as problem:
            raise httpcore.ReadError() from problem
        self._course.receive(len(received))
        return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = memoryview(buffer)
        self._course.sent = True
        try:
            while left:
                self._socket.settimeout(self._course.left())
                left = left[self._socket.send(left) :]
        except TimeoutError as late:
            raise httpcore.WriteTimeout() from late
        except OSError as problem:
            raise httpcore.WriteError() from problem

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        try:
            self._socket.settimeout(self._course.left())
            secured = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except BaseException as problem:
            self.close()
            if isinstance(problem, OSError):
                raise httpcore.ConnectError(_words(problem)) from problem
            raise
        return _Stream(secured, self._course)

    def close(self) -> None:
        self._socket.close()
