"""How often somebody has tried, counted together by all web processes in a cache that they share.

Where that cannot be reached nobody gets another try: what is not counted is not limited.
"""

import json
import logging
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

SECONDS = 1.0
"""For a connection, and for an answer: somebody waits at the sign-in page."""

CACHE: dict[str, Any] = {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "OPTIONS": {
        "serializer": "oversight.counting.AsJson",
        "socket_connect_timeout": SECONDS,
        "socket_timeout": SECONDS,
    },
}
"""Django's settings of it, but for where it is."""


class AsJson:
    """What stands in the cache is data: whoever reaches it has no code of theirs run here."""

    def dumps(self, value: Any) -> bytes:
        return json.dumps(value).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data)


class FailsClosed:
    """A page that says what is wrong, in place of a try that nobody would count."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        if not isinstance(problem, RedisError):
            return None
        logger.error("the cache of PLACET_CACHE_URL does not answer; nobody signs in: %s", problem)
        answer = render(request, "503.html", status=503)
        answer.headers["Retry-After"] = "30"
        return answer
