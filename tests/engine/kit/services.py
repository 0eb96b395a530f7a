"""The servers that the tests start, each in a process of its own on 127.0.0.1."""

import json
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from oversight.embedded import Child

SECRET = "s3cret-token-of-the-desk"
PATIENCE = 30.0


class AccessService:
    """The process of `tests.engine.kit.access_service`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Self]:
        child = Child("access", [sys.executable, "-m", "tests.engine.kit.access_service"])
        try:
            yield cls(int(child.wait_for(r"listening on (\d+)", PATIENCE)[1]))
        finally:
            child.kill()

    def entry(self, **changed: Any) -> dict[str, Any]:
        """What PLACET_HTTP_TARGETS says of it."""
        headers = {"Authorization": f"Bearer {SECRET}"}
        return {"base_url": self.url, "allow_private": True, "headers": headers, **changed}

    def behave(self, mode: str, **more: Any) -> None:
        """How it answers the next grant."""
        body = json.dumps({"mode": mode, **more}).encode()
        self._asked("/_next", body)

    def grants(self) -> list[dict[str, Any]]:
        return list(self._asked("/_seen")["grants"])

    def seen(self, method: str, path: str = "") -> list[dict[str, Any]]:
        """The requests that came so far."""
        came = self._asked("/_seen")["seen"]
        return [one for one in came if one["method"] == method and one["path"].startswith(path)]

    def _asked(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        asking = urllib.request.Request(f"{self.url}{path}", data=body)  # noqa: S310 - our own
        with urllib.request.urlopen(asking, timeout=PATIENCE) as reply:  # noqa: S310
            return dict(json.load(reply))
