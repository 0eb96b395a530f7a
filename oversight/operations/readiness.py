"""Can this process serve people? Without its database it cannot; without its broker it can, later.

A message through the broker is a hint that the sweep makes good, and a lost count of sign-ins
keeps people out rather than lets them in: both are told of and take nobody out of service.
"""

import json
import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus

from django.conf import settings
from django.core.cache import cache
from django.db import connection

from engine import api
from oversight import celery

from .probes import Answer

logger = logging.getLogger(__name__)

OK, FAILING = "ok", "failing"


def ready() -> Answer:
    """200 if people can be served, else 503; which parts answer, and nothing of why not: whoever
    may ask here may be anybody. The log says why."""
    needed = {"database": _answers("the database", _database)}
    needed["schema"] = needed["database"] and _answers("the schema", api.must_be_installed)
    other = {"broker": _answers("the broker", _broker)}
    if settings.PLACET_CACHE_URL:
        other["cache"] = _answers("the cache", _cache)
    connection.close()
    status = HTTPStatus.OK if all(needed.values()) else HTTPStatus.SERVICE_UNAVAILABLE
    return Answer(status=status, body=_written({**needed, **other}), kind="application/json")


def _answers(name: str, ask: Callable[[], object]) -> bool:
    try:
        ask()
    except Exception as problem:
        logger.warning("not ready: %s does not answer: %s", name, problem)
        return False
    return True


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _broker() -> None:
    with celery.reached():
        """It is there."""


def _cache() -> None:
    cache.get("placet-is-it-there")


def _written(parts: Mapping[str, bool]) -> bytes:
    words = {name: OK if answers else FAILING for name, answers in parts.items()}
    return json.dumps(words).encode() + b"\n"
