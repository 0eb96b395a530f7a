"""Long polls: who asks for news waits outside of Django, without a thread or a database connection.

An operation that has nothing new to tell says so with `nothing_new`. The shell around Django then
keeps the answer back, waits until the log of the run has grown, and asks again: as if the client
had come back at just the right moment, with its key looked at anew each time.
"""

import asyncio
import uuid
from dataclasses import dataclass

from django.http import HttpRequest

from .watch import Watch
from .wire import PREFIX, Application, Message, Receive, Send

LONGEST = 30
"""Seconds for which an agent may ask to wait; proxies tend to give up after sixty."""

AT_ONCE = 4
"""How many of those who wait Django answers at a time. One decision may be news to hundreds, and
pages need connections to the database meanwhile."""

COME_AGAIN_SECONDS = 5
"""When to come again if there was no place to wait at."""

_NOTHING_NEW = "placet.nothing_new"
_AGAIN = "placet.asked_again"


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingNew:
    """An answer that may wait up to `wait` seconds for an event of the run beyond `seq`."""

    run_id: uuid.UUID
    seq: int
    wait: int


def nothing_new(request: HttpRequest, run_id: uuid.UUID, *, beyond: int, wait: int) -> None:
    """Let the answer wait for news. Without the shell around Django it is sent at once."""
    scope = getattr(request, "scope", {})
    scope[_NOTHING_NEW] = NothingNew(run_id=run_id, seq=beyond, wait=wait)


def asked_again(request: HttpRequest) -> bool:
    """Is this a further look on behalf of a client that asked only once?"""
    return bool(getattr(request, "scope", {}).get(_AGAIN))


def patient(application: Application, watch: Watch) -> Application:
    """The same ASGI application, where an answer with nothing new in it may wait for news."""
    in_turn = _in_turn(application)

    async def told(scope: Message, receive: Receive, send: Send) -> None:
        if not _may_wait(scope):
            return await application(scope, receive, send)
        line = _Line(receive)
        try:
            for message in await _answer(in_turn, watch, scope, line):
                await send(message)
        finally:
            line.close()
        return None

    return told


def _may_wait(scope: Message) -> bool:
    return (
        scope["type"] == "http"
        and scope.get("method") == "GET"
        and scope["path"].startswith(PREFIX)
        and b"wait=" in scope.get("query_string", b"")
    )


def _in_turn(application: Application) -> Application:
    turns = asyncio.Semaphore(AT_ONCE)

    async def told(scope: Message, receive: Receive, send: Send) -> None:
        async with turns:
            await application(scope, receive, send)

    return told


class _Line:
    """A client that has said all it had to say; that it hangs up is noticed."""

    def __init__(self, receive: Receive) -> None:
        self._gone = asyncio.ensure_future(_hung_up(receive))

    def question(self) -> Receive:
        """What is to be received each time the question is put: no body, and then the end."""
        parts: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> Message:
            if parts:
                return parts.pop()
            await asyncio.shield(self._gone)
            return {"type": "http.disconnect"}

        return receive

    async def holds_until(self, news: asyncio.Future[None], seconds: float) -> bool:
        """Wait for `news` so many seconds; False if the client has hung up meanwhile."""
        either = (news, self._gone)
        try:
            await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
        return not self._gone.done()

    def close(self) -> None:
        self._gone.cancel()


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        """A body says nothing that a GET could mean."""


async def _answer(
    application: Application, watch: Watch, scope: Message, line: _Line
) -> list[Message]:
    """The answer: at once if it has news, else with the news or at the end of its time.

    The last word is always asked for anew. Empty if nobody is there to hear it.
    """
    clock = asyncio.get_running_loop().time
    begun, again = clock(), False
    while True:
        asked = {**scope, _AGAIN: again}
        answer = await _asked(application, asked, line)
        nothing: NothingNew | None = asked.get(_NOTHING_NEW)
        left = nothing.wait - (clock() - begun) if nothing else 0
        if nothing is None or left <= 0:
            return answer
        if watch.full:
            return _come_again(answer)
        if not await line.holds_until(watch.news(nothing.run_id, nothing.seq), left):
            return []
        again = True


async def _asked(application: Application, scope: Message, line: _Line) -> list[Message]:
    """All that the application answers this time."""
    answer: list[Message] = []

    async def keep(message: Message) -> None:
        answer.append(message)

    await application(scope, line.question(), keep)
    return answer


def _come_again(answer: list[Message]) -> list[Message]:
    """The answer as it is, and when to ask again: there is no place to wait at."""
    for start in answer[:1]:
        headers = [*start["headers"], (b"Retry-After", str(COME_AGAIN_SECONDS).encode())]
        return [{**start, "headers": headers}, *answer[1:]]
    return answer
