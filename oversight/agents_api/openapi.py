"""The API's description in OpenAPI 3.1: what ninja knows, and what only we know."""

from collections.abc import Iterable, Iterator
from http import HTTPStatus
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from engine.errors import PlacetError

from . import catalogue, examples, problems
from .api import api
from .idempotency import HEADER, REPLAYED
from .refusals import Unauthenticated

Json = dict[str, Any]

INTRODUCTION = (
    "Agents propose, people decide, Placet carries out. Start a run, propose an effect in it, and "
    "ask from time to time what became of it. Nothing is done that a person has not approved, "
    "with exactly the arguments that were shown; and it is done once, verified, and rolled back "
    "where it went wrong."
)

_PROBLEM: Json = {
    "title": "Problem",
    "description": "Why something was refused (RFC 9457).",
    "type": "object",
    "properties": {
        "type": {"type": "string", "format": "uri-reference", "description": "Explains the code."},
        "title": {"type": "string", "description": "The kind of problem, the same every time."},
        "status": {"type": "integer", "description": "The HTTP status again."},
        "detail": {"type": "string", "description": "What is wrong this time."},
        "instance": {
            "type": "string",
            "format": "uri",
            "description": "Names this occurrence in our log; only with faults of ours.",
        },
        "path": {
            "type": "string",
            "description": "Where it is wrong: `$.arguments.amount` in the body, `query.limit` in "
            "the address, `header.Idempotency-Key`.",
        },
        "rejected": {
            "type": "object",
            "description": "With `rejected_before`: the proposal that asked for the same.",
            "properties": {
                "proposal_id": {"type": "string", "format": "uuid"},
                "rejected_at": {"type": "string", "format": "date-time"},
                "reason_code": {"type": ["string", "null"], "description": "If one was chosen."},
            },
            "required": ["proposal_id", "rejected_at", "reason_code"],
        },
        "code": {"type": "string", "description": "For programs to tell problems apart."},
        "retryable": {
            "type": "boolean",
            "description": "The same request may succeed later, unchanged.",
        },
    },
    "required": ["type", "title", "status", "detail", "code", "retryable"],
}
_KEY_PARAMETER: Json = {
    "in": "header",
    "name": HEADER,
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    "description": "A value of your own for this one thing. Whoever sends it again within 30 days "
    "gets the first answer again, and nothing happens twice.",
}
_REPLAYED_HEADER: Json = {
    "description": "`true` when this answer was given before and nothing happened now.",
    "schema": {"type": "string", "enum": ["true"]},
}
_RETRY_HEADER: Json = {"description": "Seconds to wait.", "schema": {"type": "integer"}}
_CHALLENGE_HEADER: Json = {"description": "RFC 9110, 11.6.1.", "schema": {"type": "string"}}
_ETAG_HEADER: Json = {"description": "The mark, as a weak tag.", "schema": {"type": "string"}}
_NO_PLACE_HEADER: Json = {
    "description": "Seconds to wait; only where you were answered early because too many wait.",
    "schema": {"type": "integer"},
}
_HEADERS: dict[str, Json] = {
    "see_proposal": {"ETag": _ETAG_HEADER, "Retry-After": _NO_PLACE_HEADER},
    "see_events": {"Retry-After": _NO_PLACE_HEADER},
}
"""Headers of the answers to a GET."""


@require_safe
def openapi_json(request: HttpRequest) -> HttpResponse:
    """Public: it tells nothing about any run."""
    return JsonResponse(described())


def described() -> Json:
    """The whole description, as JSON values."""
    schema: Json = dict(api.get_openapi_schema(path_prefix=_root()))
    schema["info"]["description"] = INTRODUCTION
    schema["servers"] = [{"url": "/"}]
    components = schema["components"]
    components["schemas"]["Problem"] = _PROBLEM
    components["securitySchemes"]["AgentKey"] |= {
        "bearerFormat": "plc_<id>_<secret>",
        "description": "A key issued for an agent. Sessions of people are not looked at.",
    }
    for method, _, operation in operations(schema):
        _finish(method, operation, components["schemas"])
    return schema


def operations(schema: Json) -> Iterator[tuple[str, str, Json]]:
    """The method, path and description of every operation."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _root() -> str:
    return reverse("api:openapi").removesuffix("openapi.json")


def _finish(method: str, operation: Json, schemas: Json) -> None:
    """Add what ninja cannot know: examples, problems, and what makes a POST safe to repeat."""
    name = operation["operationId"]
    answer = next(iter(operation["responses"].values()))
    answer["content"]["application/json"]["example"] = examples.TOLD[name]
    if name in _HEADERS:
        answer["headers"] = _HEADERS[name]
    if method == "POST":
        answer["headers"] = {REPLAYED: _REPLAYED_HEADER}
        operation["parameters"].append(_KEY_PARAMETER)
        body = operation["requestBody"]
        body["content"]["application/json"]["example"] = examples.ASKED[name]
        body["required"] = "required" in _resolved(body, schemas)
    operation["responses"] = {str(key): value for key, value in operation["responses"].items()}
    operation["responses"] |= _problems(catalogue.OF_OPERATION[name])


def _resolved(body: Json, schemas: Json) -> Json:
    reference: str = body["content"]["application/json"]["schema"]["$ref"]
    found: Json = schemas[reference.rpartition("/")[2]]
    return found


def _problems(kinds: Iterable[type[PlacetError]]) -> Json:
    """The responses, by status, that tell of these kinds of problems."""
    ordered = sorted(kinds, key=lambda kind: kind.http_status)
    grouped = groupby(ordered, key=lambda kind: kind.http_status)
    return {str(status): _problem_response(list(group)) for status, group in grouped}


def _problem_response(kinds: list[type[PlacetError]]) -> Json:
    codes = ", ".join(f"`{kind.code}`" for kind in kinds)
    response: Json = {
        "description": f"{HTTPStatus(kinds[0].http_status).phrase}: {codes}",
        "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if any(kind.retryable for kind in kinds):
        response["headers"] = {"Retry-After": _RETRY_HEADER}
    if any(issubclass(kind, Unauthenticated) for kind in kinds):
        response["headers"] = {"WWW-Authenticate": _CHALLENGE_HEADER}
    return response
