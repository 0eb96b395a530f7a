"""Hand one message to a mail server, and know afterwards whether it was taken over.

RFC 5321 4.2.5: once the text is sent, a reply of 4xx or 5xx obliges the server to deliver nothing
of it, and 250 makes it responsible. Without a reply nobody knows.
"""

import contextlib
import re
import smtplib
from collections.abc import Sequence
from typing import Any

from engine.actions import Refused

from .accounts import Account, Server, insist_on_this_machine
from .cutting_off import CutOff
from .failures import Dropped, NotSent, TimedOut, Unusable

_LEADING_DOT = re.compile(rb"^\.", re.MULTILINE)


class Post:
    """One dialogue with a mail server. `handed_over` tells whether any of the text was sent."""

    def __init__(self, account: Account, seconds: float) -> None:
        self._account, self._server = account, account.smtp
        self._cut_off = CutOff(seconds)
        self.handed_over = False

    def deliver(self, recipients: Sequence[str], message: bytes) -> str:
        """All recipients or none. Gives the server's last word.

        Raises Refused (NotSent) when surely nothing will be delivered, else TimedOut, Dropped or
        Unusable.
        """
        with self._cut_off:
            try:
                return self._dialogue(recipients, message)
            except (Refused, Unusable):
                raise
            # Its cause is cut off: a mail library may quote what it was given to sign in with.
            except Exception as problem:
                raise self._failure(problem) from None

    def _dialogue(self, recipients: Sequence[str], message: bytes) -> str:
        client = self._connected()
        try:
            self._sign_in(client)
            self._must(client.mail(self._account.sender.addr_spec), "the sender")
            for recipient in recipients:
                self._must(client.rcpt(recipient), f"the recipient {recipient}")
            self._must(client.docmd("DATA"), "a message", expected=3)
            return self._hand_over(client, message)
        finally:
            client.close()

    def _connected(self) -> smtplib.SMTP:
        client = _client(self._server, self._cut_off, self._account.sender.domain)
        self._must(client.ehlo(), "our name")
        if self._server.secured:
            return client
        if client.has_extn("starttls"):
            self._must(client.starttls(context=self._server.context), "encryption")
            self._must(client.ehlo(), "our name")
        elif client.sock is not None:
            insist_on_this_machine(client.sock, self._server)
        return client

    def _sign_in(self, client: smtplib.SMTP) -> None:
        if self._server.user is None or self._server.password is None:
            return
        try:
            client.login(self._server.user, self._server.password)
        except smtplib.SMTPAuthenticationError as no:
            why = f"{self._server.text} did not let us sign in ({no.smtp_code})."
            raise NotSent(why) from None

    def _hand_over(self, client: smtplib.SMTP, message: bytes) -> str:
        self._cut_off.check()
        self.handed_over = True
        client.send(_LEADING_DOT.sub(b"..", message) + b".\r\n")
        code, words = client.getreply()
        said = self._said(code, words)
        if 200 <= code < 300:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                client.quit()
            return said
        if 400 <= code < 600:
            raise Refused(f"{self._server.text} did not take the message: {said}")
        raise Unusable(f"{self._server.text} answered to the message: {said}")

    def _must(self, reply: tuple[int, bytes], what: str, *, expected: int = 2) -> None:
        """Before the text is sent, everything but a yes means that nothing happened."""
        code, words = reply
        if code // 100 != expected:
            said = self._said(code, words)
            raise NotSent(f"{self._server.text} did not take {what}: {said}")

    def _said(self, code: int, words: bytes) -> str:
        return f"{code} {self._account.redaction.excerpt(words)}".strip()

    def _failure(self, problem: Exception) -> Exception:
        late = self._cut_off.fired or isinstance(problem, TimeoutError)
        if not self.handed_over:
            why = "the time allowed was over" if late else _why(problem)
            return NotSent(f"Nothing was sent by {self._server.text}: {why}.")
        if late:
            return TimedOut(f"{self._server.text} did not say in time whether it took the message.")
        return Dropped(f"{self._server.text} ended the connection before it took the message.")


def _why(problem: Exception) -> str:
    if isinstance(problem, smtplib.SMTPResponseException):
        return f"it answered {problem.smtp_code}"
    words = problem.strerror if isinstance(problem, OSError) else None
    return words or type(problem).__name__


def _client(server: Server, cut_off: CutOff, our_name: str) -> smtplib.SMTP:
    more: dict[str, Any] = {"context": server.context} if server.secured else {}
    kind = _SecuredClient if server.secured else _Client
    return kind(
        cut_off,
        host=server.host,
        port=server.port,
        local_hostname=our_name,
        timeout=cut_off.seconds,
        **more,
    )


class _Client(smtplib.SMTP):
    """Watched from before its first byte: the library connects while it is being made."""

    def __init__(self, cut_off: CutOff, **how: Any) -> None:
        cut_off.watch(self)
        super().__init__(**how)


class _SecuredClient(smtplib.SMTP_SSL):
    def __init__(self, cut_off: CutOff, **how: Any) -> None:
        cut_off.watch(self)
        super().__init__(**how)
