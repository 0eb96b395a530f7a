"""`/healthz`, `/readyz` and `/metrics`, answered ahead of Django.

Whoever asks comes without TLS, without the site's name and without a session: an orchestrator by
address, a scraper from inside. None of the three may be kept from its answer by what is asked for
there of people, and none may cost them more than one thread and one connection.
"""

import asyncio
import hmac
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from oversight.agents_api.wire import Application, Message, Receive, Send

logger = logging.getLogger(__name__)

KEPT_SECONDS = 1.0
"""For so long one answer serves everybody who asks: nobody can keep the database busy by asking."""

_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: HTTPStatus
    body: bytes
    kind: str = _TEXT


def probed(application: Application, *, token: str) -> Application:
    """The same ASGI application, which tells machines how it is. Without a token no metrics."""
    readiness, figures = _Kept(_ready), _Kept(_metrics)

    async def told(scope: Message, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if path == "/healthz":
            await _say(send, Answer(status=HTTPStatus.OK, body=b"alive\n"))
        elif path == "/readyz":
            await _say(send, await readiness.answer())
        elif path == "/metrics" and token:
            await _say(send, await figures.answer() if _shows(scope, token) else _STRANGER)
        else:
            await application(scope, receive, send)

    return told


# What these lead to can be read only once Django is set up, and its shell is made before.


def _ready() -> Answer:
    from .readiness import ready

    return ready()


def _metrics() -> Answer:
    from .metrics import metrics

    return metrics()


_STRANGER = Answer(
    status=HTTPStatus.UNAUTHORIZED, body=b"Send the token of PLACET_METRICS_TOKEN as bearer.\n"
)

_NOBODY_KNOWS = Answer(
    status=HTTPStatus.SERVICE_UNAVAILABLE, body=b"It cannot be found out now; the log says why.\n"
)


def _shows(scope: Message, token: str) -> bool:
    shown = dict(scope["headers"]).get(b"authorization", b"")
    return hmac.compare_digest(shown, b"Bearer " + token.encode())


class _Kept:
    """One answer at a time, found out in a thread, for all who ask within a second."""

    def __init__(self, ask: Callable[[], Answer]) -> None:
        self._ask = ask
        self._until = 0.0
        self._finding: asyncio.Future[Answer] | None = None

    async def answer(self) -> Answer:
        if self._finding is None or (self._finding.done() and time.monotonic() > self._until):
            self._finding = asyncio.ensure_future(asyncio.to_thread(self._found))
        return await asyncio.shield(self._finding)

    def _found(self) -> Answer:
        try:
            return self._ask()
        except Exception:
            logger.exception("what a machine asked could not be found out")
            return _NOBODY_KNOWS
        finally:
            self._until = time.monotonic() + KEPT_SECONDS


async def _say(send: Send, answer: Answer) -> None:
    headers = [
        (b"content-type", answer.kind.encode()),
        (b"content-length", str(len(answer.body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    if answer.status is HTTPStatus.UNAUTHORIZED:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": int(answer.status), "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
