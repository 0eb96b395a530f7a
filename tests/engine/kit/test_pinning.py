"""The connection goes to the address that was judged; TLS still speaks with the name."""

import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme

from engine.kit import failures
from tests.engine.kit.acts import GrantRole
from tests.engine.kit.test_addresses import answers


class Members(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b'{"id": "mara", "name": "Mara Vogel"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.server.hosts.append(self.headers["Host"])  # type: ignore[attr-defined]

    def log_message(self, *words: Any) -> None:
        pass


class Secured(ThreadingHTTPServer):
    """Members over TLS, with a certificate for `access.example` alone."""

    def __init__(self, authority: trustme.CA) -> None:
        super().__init__(("127.0.0.1", 0), Members)
        self.hosts: list[str] = []
        self.names: list[str] = []
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("access.example").configure_cert(context)
        context.sni_callback = lambda _socket, name, _context: self.names.append(name)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    def handle_error(self, *of: Any) -> None:
        """A client that does not like the certificate hangs up; nothing is said of it."""


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def secured(authority: trustme.CA) -> Iterator[Secured]:
    server = Secured(authority)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def point_at(settings: Any, server: Secured, host: str, ca_file: Path | None) -> None:
    settings.PLACET_HTTP_TARGETS = {
        "access": {
            "base_url": f"https://{host}:{server.server_port}",
            "allow_private": True,
            "ca_file": str(ca_file) if ca_file else None,
        }
    }


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> Path:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return tmp_path / "ca.pem"


def read_mara() -> Any:
    args = GrantRole.Arguments(member="mara", role="editor")
    return GrantRole().read("/members/{member}", args)


def test_one_look_up_then_that_address_with_the_name_in_tls_and_host(
    secured: Secured, ca_file: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name exists nowhere: only the pinned address can have been connected to."""
    asked = []
    resolver = answers("127.0.0.1")

    def once(host: str, port: int, **more: Any) -> list[Any]:
        asked.append(host)
        return resolver(host, port)

    monkeypatch.setattr(socket, "getaddrinfo", once)
    point_at(settings, secured, "access.example", ca_file)

    assert read_mara() == {"id": "mara", "name": "Mara Vogel"}
    assert asked == ["access.example"]
    assert secured.names == ["access.example"]
    assert secured.hosts == [f"access.example:{secured.server_port}"]


def test_the_next_address_is_tried_when_one_is_not_there(
    secured: Secured, ca_file: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("127.0.0.2", "127.0.0.1"))
    point_at(settings, secured, "access.example", ca_file)

    assert read_mara()


def test_a_certificate_for_another_name_is_not_accepted(
    secured: Secured, ca_file: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("127.0.0.1"))
    point_at(settings, secured, "elsewhere.example", ca_file)

    with pytest.raises(failures.NotSent, match=r"certificate is not good.*elsewhere"):
        read_mara()

    assert secured.hosts == []


def test_a_certificate_of_an_unknown_authority_is_not_accepted(
    secured: Secured, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", answers("127.0.0.1"))
    point_at(settings, secured, "access.example", None)

    with pytest.raises(failures.NotSent, match="certificate is not good"):
        read_mara()


def test_a_handshake_that_never_ends_is_cut_off(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GrantRole, "call_seconds", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        settings.PLACET_HTTP_TARGETS = {
            "access": {
                "base_url": f"https://127.0.0.1:{mute.getsockname()[1]}",
                "allow_private": True,
            }
        }

        with pytest.raises(failures.NotSent, match="in the time allowed"):
            read_mara()
