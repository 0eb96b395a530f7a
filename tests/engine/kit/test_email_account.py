"""An account at mail servers: what is said of one that is wrong, absent, slow, or not encrypted."""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme

from engine.actions import Refused
from engine.kit import accounts, failures
from engine.kit.failures import Misconfigured, NotSent
from tests.engine.kit.acts import TellCustomer
from tests.engine.kit.mail import PASSWORD, Provider
from tests.engine.kit.mailing import a_key, asked, send

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")


WRONG_ENTRIES = [
    {"from": ""},
    {"from": "nobody"},
    {"from": "a@x.example, b@x.example"},
    {"from": f"desk@shop.example\r\nBcc: {PASSWORD}"},
    {"smtp": ""},
    {"smtp": f"http://desk:{PASSWORD}@127.0.0.1"},
    {"smtp": f"smtp://desk:{PASSWORD}@127.0.0.1:port"},
    {"smtp": f"smtp://desk:{PASSWORD}@/"},
    {"imap": f"smtp://desk:{PASSWORD}@127.0.0.1"},
    {"imap": f"imap://desk:{PASSWORD}@127.0.0.1/INBOX"},
    {"mailbox": 'Sent" (x'},
    {"mailbox": "Sent\r\nx LOGOUT"},
]


@pytest.mark.parametrize("wrong", WRONG_ENTRIES, ids=str)
def test_an_impossible_account_is_named_but_not_quoted(
    wrong: dict[str, str], mail: Provider, settings: Any
) -> None:
    settings.PLACET_MAIL = {"desk": mail.entry(**wrong)}

    with pytest.raises(Misconfigured, match="'desk'") as caught:
        send(a_key())

    assert PASSWORD not in repr(caught.value)


def test_a_wrong_password_is_a_refusal_that_does_not_tell_it(mail: Provider, settings: Any) -> None:
    wrong = "wr0ng-pa55word"
    settings.PLACET_MAIL = {
        "desk": mail.entry(
            smtp=f"smtp://desk:{wrong}@127.0.0.1:{mail.smtp_port}",
            imap=f"imap://desk:{wrong}@127.0.0.1:{mail.imap_port}",
        )
    }

    with pytest.raises(NotSent, match="did not let us sign in") as caught:
        send(a_key())
    with pytest.raises(failures.Unexpected, match="did not let us sign in") as asked_for:
        TellCustomer().reconcile(asked(), key=a_key())

    assert wrong not in repr(caught.value) + repr(asked_for.value)


def test_a_password_that_a_server_repeats_is_not_repeated_by_us(mail: Provider) -> None:
    mail.behave("echo")

    with pytest.raises(Refused, match=r"\[redacted\]") as caught:
        send(a_key())

    assert PASSWORD not in repr(caught.value)


@pytest.mark.parametrize("kind", ["smtp", "imap"])
def test_a_server_that_is_not_there(kind: str, mail: Provider, settings: Any) -> None:
    settings.PLACET_MAIL = {"desk": mail.entry(**{kind: f"{kind}://127.0.0.1:9"})}

    if kind == "smtp":
        with pytest.raises(NotSent, match="Connection refused"):
            send(a_key())
    else:
        with pytest.raises(failures.Dropped, match="Connection refused"):
            TellCustomer().reconcile(asked(), key=a_key())


@contextmanager
def dribbling(beginning: bytes) -> Iterator[int]:
    """A server that greets for ten seconds, one byte at a time; gives its port."""
    over = threading.Event()

    def greet(connection: socket.socket) -> None:
        connection.sendall(beginning)
        with contextlib.suppress(OSError), connection:
            for _ in range(200):
                if over.wait(0.05):
                    return
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=lambda: greet(listening.accept()[0]), daemon=True).start()
        yield int(listening.getsockname()[1])
        over.set()


@pytest.mark.parametrize(("kind", "greeting"), [("smtp", b"220-"), ("imap", b"* OK ")])
def test_a_server_that_never_comes_to_an_end_is_cut_off(
    kind: str, greeting: bytes, mail: Provider, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TellCustomer, "call_seconds", 0.5)
    began = time.monotonic()
    with dribbling(greeting) as port:
        settings.PLACET_MAIL = {"desk": mail.entry(**{kind: f"{kind}://127.0.0.1:{port}"})}
        expected = NotSent if kind == "smtp" else failures.TimedOut
        with pytest.raises(expected, match="time allowed"):
            send(a_key()) if kind == "smtp" else TellCustomer().reconcile(asked(), key=a_key())

    assert time.monotonic() - began < 3


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


def certified(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(name).configure_cert(context)
    return context


@pytest.mark.parametrize("name", ["localhost", "elsewhere.example"])
def test_starttls_is_used_where_it_is_offered_and_the_name_is_verified(
    name: str, authority: trustme.CA, mail: Provider, settings: Any, tmp_path: Path
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with mail.smtp(tls=certified(authority, name)) as port:
        settings.PLACET_MAIL = {
            "desk": mail.entry(
                smtp=f"smtp://desk:{PASSWORD}@localhost:{port}", ca_file=str(tmp_path / "ca.pem")
            )
        }
        key = a_key()
        if name == "localhost":
            send(key)
        else:
            with pytest.raises(NotSent, match=r"(?i)certificate"):
                send(key)

    assert len(mail.taken(key)) == (1 if name == "localhost" else 0)


@pytest.mark.parametrize(("peer", "allowed"), [("127.0.0.1", True), ("192.0.2.1", False)])
def test_without_tls_nobody_but_this_machine_is_spoken_to(
    peer: str, allowed: bool, mail: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "_peer", lambda connected: peer)
    key = a_key()

    if allowed:
        send(key)
        assert TellCustomer().reconcile(asked(), key=key).kind == "found"
        return
    with pytest.raises(NotSent, match="no encryption"):
        send(key)
    with pytest.raises(NotSent, match="no encryption"):
        TellCustomer().reconcile(asked(), key=key)
    assert mail.taken(key) == []
