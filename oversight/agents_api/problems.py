"""Refusals as RFC 9457 problem documents."""

import json
import logging
import uuid
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from ninja.errors import ValidationError

from engine.errors import BadInput, NotFound, PlacetError, Unavailable

from .catalogue import title_of
from .refusals import Internal, KeyExpired, MethodNotAllowed, Unauthenticated

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
REALM = 'Bearer realm="placet"'
RETRY_SECONDS = 1

_PLAINER = {
    "missing": "This field is required.",
    "extra_forbidden": "There is no such field here.",
    "dict_type": "This must be an object.",
    "list_type": "This must be an array.",
    "string_type": "This must be a string.",
    "int_type": "This must be an integer.",
    "model_type": "The body must be an object.",
    "model_attributes_type": "The body must be an object.",
}


def problem(refusal: PlacetError, instance: str | None = None) -> HttpResponse:
    """The answer that tells of this refusal."""
    kind = type(refusal)
    title = title_of(kind)
    document = {
        "type": f"/api/problems/{kind.code}",
        "title": title,
        "status": kind.http_status,
        # A fault of ours may speak of hosts and files: that belongs in the log.
        "detail": refusal.message if kind.http_status < 500 else f"{title}.",
        "instance": instance,
        "path": getattr(refusal, "path", "") or None,
        "rejected": getattr(refusal, "rejected", None),
        "code": kind.code,
        "retryable": kind.retryable,
    }
    told = {key: value for key, value in document.items() if value is not None}
    return HttpResponse(
        json.dumps(told, ensure_ascii=False),
        status=kind.http_status,
        content_type=MEDIA_TYPE,
        headers=_headers(refusal),
    )


def _headers(refusal: PlacetError) -> dict[str, str]:
    headers = {}
    if isinstance(refusal, KeyExpired):
        headers["WWW-Authenticate"] = (
            f'{REALM}, error="invalid_token", error_description="The key has expired"'
        )
    elif isinstance(refusal, Unauthenticated):
        headers["WWW-Authenticate"] = REALM
    if refusal.retryable:
        headers["Retry-After"] = str(RETRY_SECONDS)
    return headers


def answer_to(request: HttpRequest, fault: Exception) -> HttpResponse:
    """The problem that tells of any exception. Faults of ours go to the log, with a name there."""
    refusal = refusal_of(fault)
    instance = None
    if refusal.http_status >= 500:
        instance = f"urn:uuid:{uuid.uuid4()}"
        _note(request, instance, fault, trace=isinstance(refusal, Internal))
    return problem(refusal, instance)


def _note(request: HttpRequest, instance: str, fault: Exception, *, trace: bool) -> None:
    words = "%s %s failed (%s): %s"
    parts = (request.method, request.path, instance, fault)
    logger.error(words, *parts, exc_info=fault if trace else None)


def refusal_of(fault: Exception) -> PlacetError:
    """What an exception means to whoever sent the request."""
    match fault:
        case PlacetError():
            return fault
        case ValidationError():
            return named(fault.errors[0])
        case Http404():
            return NotFound()
        case OperationalError() | InterfaceError():
            return Unavailable()
        case _:
            return Internal()


def named(wrong: Mapping[str, Any]) -> BadInput:
    """One thing that breaks a schema, and where it stands."""
    detail = _PLAINER.get(wrong["type"]) or f"{wrong['msg'].rstrip('.')}."
    return BadInput(detail, path=_path(wrong["loc"]))


def _path(location: tuple[str | int, ...]) -> str:
    """`$.why` for what the body says, `query.limit` for what the address says."""
    source, *names = location
    if source != "body":
        return ".".join(map(str, location))
    # The first name is the handler's parameter, which holds the whole body.
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in names[1:])
    return "$" + "".join(parts)


View = Callable[..., HttpResponseBase]


def in_problems(view: View) -> View:
    """`view`, its plain refusal of a method told as a problem, and nothing of it cached."""

    @csrf_exempt
    @wraps(view)
    def told(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code == MethodNotAllowed.http_status:
            response = _not_allowed(request, response.headers)
        response.headers["Cache-Control"] = "no-store"
        return response

    return told


def _not_allowed(request: HttpRequest, headers: Mapping[str, str]) -> HttpResponse:
    allowed = headers.get("Allow", "")
    response = problem(MethodNotAllowed(f"{request.method} is not answered here, only {allowed}."))
    response.headers["Allow"] = allowed
    return response


@csrf_exempt
def no_such_address(request: HttpRequest, **_: Any) -> HttpResponse:
    """Whatever is not an address of this API."""
    return problem(NotFound(f"There is nothing at {request.path}."))
