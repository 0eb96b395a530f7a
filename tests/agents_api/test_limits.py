"""A long body is refused while it arrives; what is short passes untouched."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from oversight.agents_api.limits import bounded
from oversight.embedded.processes import PROJECT

LIMIT = 100


class Line:
    """A connection on which the parts of a body arrive, and an application at its end."""

    def __init__(self, *parts: bytes, path: str = "/api/v1/runs", length: str | None = None):
        headers = [] if length is None else [(b"content-length", length.encode())]
        self.scope: dict[str, Any] = {"type": "http", "path": path, "headers": headers}
        self.waiting = [
            {"type": "http.request", "body": part, "more_body": place < len(parts)}
            for place, part in enumerate(parts, start=1)
        ]
        self.sent: list[dict[str, Any]] = []
        self.read: list[bytes] = []

    async def receive(self) -> Any:
        return self.waiting.pop(0)

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            self.read.append(message["body"])
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})

    def run(self) -> int:
        """The status that was answered."""
        asyncio.run(bounded(self.application, LIMIT)(self.scope, self.receive, self.send))
        return int(self.sent[0]["status"])


def test_what_is_within_the_limit_passes() -> None:
    line = Line(b"x" * 60, b"y" * 40, length="100")
    assert line.run() == 200
    assert b"".join(line.read) == b"x" * 60 + b"y" * 40


def test_what_is_announced_as_too_long_is_not_read_at_all() -> None:
    line = Line(b"x" * 60, b"x" * 60, length="101")
    assert line.run() == 413
    assert line.read == []
    assert len(line.waiting) == 2


def test_an_absurd_length_is_only_too_long() -> None:
    assert Line(b"x", length="9" * 5000).run() == 413


@pytest.mark.parametrize("length", [None, "10", "none", "-5", ""])
def test_what_grows_too_long_is_read_no_further(length: str | None) -> None:
    line = Line(b"x" * 60, b"x" * 60, b"x" * 60, length=length)
    assert line.run() == 413
    assert line.read == [b"x" * 60]
    assert len(line.waiting) == 1


def test_it_is_told_as_a_problem() -> None:
    line = Line(b"x" * 101)
    line.run()
    start, body = line.sent
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"application/problem+json"
    assert headers[b"connection"] == b"close"
    assert headers[b"content-length"] == str(len(body["body"])).encode()
    assert json.loads(body["body"])["code"] == "too_large"


def test_pages_have_limits_of_their_own() -> None:
    assert Line(b"x" * 101, path="/proposals/7/decide").run() == 200


def test_it_is_imported_before_the_settings_are_read() -> None:
    """The web process says what it is before Django asks; else it would share no connections."""
    look = "import sys, oversight.agents_api.limits; sys.exit('oversight.settings' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], cwd=PROJECT).returncode == 0


def test_what_is_not_http_passes() -> None:
    seen: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope)

    line = Line()
    asyncio.run(bounded(application, LIMIT)({"type": "lifespan"}, line.receive, line.send))
    assert seen == [{"type": "lifespan"}]
