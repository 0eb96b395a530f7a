"""What stands around Django: nobody can fill its disk with a body, or its threads with waiting.

It is imported before Django is set up, and so must not lead to anything that reads the settings.
"""

from engine.canonical import MAX_BODY
from engine.errors import TooLarge

from .waiting import patient
from .watch import Watch
from .wire import PREFIX, Application, Message, Receive, Send


class _Over(Exception):
    """More has arrived than may."""


def bounded(application: Application, limit: int = MAX_BODY) -> Application:
    """The same ASGI application, whose API is sent at most `limit` bytes in one request, and whose
    long polls hold nothing while they wait."""
    return patient(_cut_off(application, limit), Watch())


def _cut_off(application: Application, limit: int) -> Application:
    """Refuse a long body while it arrives, before Django has put all of it on the disk.

    What is over is answered 413 at once, and the rest of it is never read.
    """

    async def told(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            return await application(scope, receive, send)
        try:
            if announced(dict(scope["headers"]).get(b"content-length", b"")) > limit:
                raise _Over
            await application(scope, _counted(receive, limit), send)
        except _Over:
            await _refuse(send, limit)
        return None

    return told


def _counted(receive: Receive, limit: int) -> Receive:
    arrived = 0

    async def counted() -> Message:
        nonlocal arrived
        message = await receive()
        arrived += len(message.get("body", b""))
        if arrived > limit:
            raise _Over
        return message

    return counted


def announced(length: bytes) -> int:
    """How many bytes a Content-Length speaks of; 0 where it says nothing that can be read."""
    return int(length[:20]) if length.isdigit() else 0


def too_large(limit: int = MAX_BODY) -> TooLarge:
    return TooLarge(f"The body is over the limit of {limit} bytes.")


async def _refuse(send: Send, limit: int) -> None:
    from .problems import problem

    response = problem(too_large(limit))
    response.headers["Connection"] = "close"
    response.headers["Content-Length"] = str(len(response.content))
    headers = [(name.lower().encode(), value.encode()) for name, value in response.headers.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})
