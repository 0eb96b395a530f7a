"""A POST is answered once: whoever repeats it gets the answer again, and nothing happens twice."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac
from pydantic import BaseModel, TypeAdapter

from engine.canonical import frozen

from .keys import Caller
from .models import IdempotentRequest
from .refusals import (
    IdempotencyKeyInvalid,
    IdempotencyKeyMissing,
    IdempotencyKeyReused,
    StillRunning,
)

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
KEPT = timedelta(days=30)
_KEY = re.compile(r"[\x20-\x7e]{1,255}")
_PATH = f"header.{HEADER}"
_SWEPT_AT_ONCE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One POST by an agent, and what makes it the same as another one."""

    caller: Caller
    key: str
    hash: str


def once(
    request: HttpRequest, caller: Caller, body: BaseModel, status: int, verb: Callable[[], Any]
) -> HttpResponse:
    """Answer with `status` and what `verb` tells; or with what was answered before.

    The change and its answer are one transaction: a crash keeps both or neither. What is
    refused is not kept, so that it may be tried again. Raises IdempotencyKeyMissing,
    IdempotencyKeyInvalid, IdempotencyKeyReused, StillRunning, and whatever `verb` raises.
    """
    asked = Request(caller=caller, key=_key(request), hash=_hash(request, body))
    with transaction.atomic():
        _take_turn(asked)
        known = _known(asked)
        if known is not None:
            return _replayed(asked, known)
        answer = packed(verb())
        _keep(asked, status, answer)
    return answered(answer, status)


def answered(answer: bytes, status: int = 200) -> HttpResponse:
    return HttpResponse(answer, status=status, content_type="application/json")


def packed(told: Any) -> bytes:
    """The JSON bytes of what an agent is told."""
    return TypeAdapter(type(told)).dump_json(told)


def _key(request: HttpRequest) -> str:
    key = request.headers.get(HEADER)
    if key is None:
        raise IdempotencyKeyMissing(
            f"Send {HEADER}: a value of your own for each thing you want done once.", path=_PATH
        )
    if not _KEY.fullmatch(key):
        raise IdempotencyKeyInvalid("1 to 255 printable ASCII characters.", path=_PATH)
    return key


def _hash(request: HttpRequest, body: BaseModel) -> str:
    """Keyed SHA-256 (hex) of the method, the path and the body, however the body was spelled.

    Keyed, because a body may hold a secret short enough to be found by trying. Without what is
    left at its default, so that a release that knows one field more finds the same.
    """
    parts = [request.method, request.path, body.model_dump(mode="json", exclude_defaults=True)]
    return salted_hmac("placet.idempotency", frozen(parts), algorithm="sha256").hexdigest()


def _take_turn(asked: Request) -> None:
    """One at a time for each key; held until the transaction ends, however it ends."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, %s))",
            [f"placet agent {asked.key}", asked.caller.agent_id],
        )
        row = cursor.fetchone()
    if row is None or not row[0]:
        raise StillRunning("The same request is being answered just now; ask again in a second.")


def _known(asked: Request) -> IdempotentRequest | None:
    """What this key was answered, unless that is so old that it counts as forgotten."""
    found = IdempotentRequest.objects.filter(agent_id=asked.caller.agent_id, key=asked.key)
    found.filter(created_at__lt=Now() - KEPT).delete()
    return found.first()


def _replayed(asked: Request, known: IdempotentRequest) -> HttpResponse:
    if known.request_hash != asked.hash:
        raise IdempotencyKeyReused(
            "It was sent before with another body or to another address.",
            path=_PATH,
            first=known.request_hash,
            sent=asked.hash,
        )
    response = answered(bytes(known.response), known.status)
    response.headers[REPLAYED] = "true"
    return response


def _keep(asked: Request, status: int, answer: bytes) -> None:
    _forget_a_few()
    IdempotentRequest.objects.create(
        agent_id=asked.caller.agent_id,
        key=asked.key,
        request_hash=asked.hash,
        status=status,
        response=answer,
        created_at=Now(),
    )


def _forget_a_few() -> None:
    """Every new answer clears away some old ones: the table needs no keeper."""
    old = IdempotentRequest.objects.filter(created_at__lt=Now() - KEPT).order_by("created_at")
    batch = old.select_for_update(skip_locked=True).values_list("pk", flat=True)[:_SWEPT_AT_ONCE]
    IdempotentRequest.objects.filter(pk__in=list(batch)).delete()
