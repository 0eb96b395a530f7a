"""Bodies of requests, read strictly: JSON that every parser reads alike, and not too much of it."""

from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.params.models import Body, BodyModel

from engine import canonical

from .limits import announced, too_large
from .refusals import UnsupportedMediaType


class _StrictBody(BodyModel):
    @classmethod
    def get_request_data(
        cls, request: HttpRequest, api: NinjaAPI, path_params: dict[str, Any]
    ) -> dict[str, Any]:
        return {cls.__read_from_single_attr__: received(request)}


class Sent(Body):  # type: ignore[misc]
    """Marks the parameter that holds the whole body, which ninja's own parser never sees."""

    _model = _StrictBody

    @classmethod
    def _param_source(cls) -> str:
        return "body"


def received(request: HttpRequest) -> Any:
    """The JSON value of the body; no body at all counts as `{}`.

    Raises TooLarge before reading what is announced as too long, and while reading what is not;
    UnsupportedMediaType; Malformed and BadInput with the path.
    """
    body = _bounded(request)
    if not body:
        return {}
    if request.content_type != "application/json":
        raise UnsupportedMediaType(f"The body is {request.content_type or 'of no stated type'}.")
    return canonical.parse(body)


def _bounded(request: HttpRequest) -> bytes:
    length = request.headers.get("Content-Length", "").encode("latin-1", "replace")
    if announced(length) > canonical.MAX_BODY:
        raise too_large()
    body = request.read(canonical.MAX_BODY + 1)
    if len(body) > canonical.MAX_BODY:
        raise too_large()
    return body
