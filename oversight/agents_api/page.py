"""The page that explains the API to people, made from its own description."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from engine import actions, canonical, workflows

from . import catalogue, openapi, pace
from .idempotency import HEADER, KEPT
from .waiting import LONGEST

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a request or an answer; `shape` is the type it refers to, if any."""

    name: str
    kind: str
    shape: str
    required: bool
    description: SafeString
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A named object and its fields."""

    name: str
    description: SafeString
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One thing an agent can do, with an example that can be pasted into a shell."""

    name: str
    method: str
    path: str
    summary: str
    description: SafeString
    parameters: tuple[Field, ...]
    body: Shape | None
    status: str
    answer: Shape
    curl: str
    example: str
    problems: tuple[catalogue.Known, ...]


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    schema = openapi.described()
    shapes = schema["components"]["schemas"]
    told = [_operation(*found, shapes, request) for found in openapi.operations(schema)]
    return render(
        request,
        "api/page.html",
        {
            "introduction": openapi.INTRODUCTION,
            "operations": told,
            "shapes": _remaining(shapes, told),
            "problems": [catalogue.known(kind) for kind in catalogue.ADVICE],
            "actions": actions.registered(),
            "workflows": workflows.registered().values(),
            "kept_days": KEPT.days,
            "limit_kib": canonical.MAX_BODY // 1024,
            "longest_wait": LONGEST,
            "burst": pace.BURST,
            "per_second": pace.PER_SECOND,
        },
    )


@require_safe
def problem(request: HttpRequest, code: str) -> HttpResponse:
    """Where the `type` of a problem leads: to its line on the page."""
    return HttpResponseRedirect(f"{reverse('api:page')}#problem-{code}")


def _operation(
    method: str, path: str, described: Json, shapes: Json, request: HttpRequest
) -> Operation:
    status, answer = next(iter(described["responses"].items()))
    content = answer["content"]["application/json"]
    kinds = catalogue.OF_OPERATION[described["operationId"]]
    body = described.get("requestBody")
    return Operation(
        name=described["operationId"],
        method=method,
        path=path,
        summary=described["summary"],
        description=_worded(described["description"]),
        parameters=tuple(_parameter(found) for found in described["parameters"]),
        body=_shape_of(body["content"]["application/json"], shapes) if body else None,
        status=status,
        answer=_shape_of(content, shapes),
        curl=_curl(method, request.build_absolute_uri("/").rstrip("/") + path, described),
        example=json.dumps(content["example"], indent=2, ensure_ascii=False),
        problems=tuple(map(catalogue.known, sorted(kinds, key=lambda kind: kind.http_status))),
    )


def _shape_of(content: Json, shapes: Json) -> Shape:
    name = _reference(content["schema"])
    return _shape(name, shapes[name])


def _shape(name: str, schema: Json) -> Shape:
    required = schema.get("required", [])
    return Shape(
        name=name,
        description=_worded(schema.get("description", "")),
        fields=tuple(
            _field(key, value, required=key in required)
            for key, value in schema.get("properties", {}).items()
        ),
    )


def _remaining(shapes: Json, told: Iterable[Operation]) -> list[Shape]:
    """The objects that are named inside others, and shown by no operation of their own."""
    shown = {shape.name for one in told for shape in (one.body, one.answer) if shape}
    return [_shape(name, schema) for name, schema in shapes.items() if name not in shown]


def _parameter(found: Json) -> Field:
    schema = found["schema"] | {"description": found.get("description", "")}
    name = found["name"] if found["in"] != "header" else HEADER
    return _field(name, schema, required=found["required"], where=found["in"])


def _field(name: str, schema: Json, *, required: bool, where: str = "") -> Field:
    kind, shape = _kind(schema)
    return Field(
        name=name,
        kind=f"{where}, {kind}" if where else kind,
        shape=shape,
        required=required,
        description=_described(schema),
        choices=_choices(schema),
    )


def _choices(schema: Json) -> tuple[str, ...]:
    values = [schema["const"]] if "const" in schema else schema.get("enum", ())
    return tuple(str(value) for value in values if value is not None)


def _described(schema: Json) -> SafeString:
    words = [schema.get("description", "")]
    if schema.get("default") is not None:
        words.append(f"`{schema['default']}` if left out.")
    return _worded(" ".join(word for word in words if word))


def _worded(text: str) -> SafeString:
    """Escaped words, with code where `backticks` are."""
    parts = text.replace("\n", " ").split("`")
    marks = (("<code>{}</code>" if place % 2 else "{}", part) for place, part in enumerate(parts))
    return SafeString("".join(format_html(mark, part) for mark, part in marks))


def _kind(schema: Json) -> tuple[str, str]:
    """A type in words, and the shape it refers to."""
    if "anyOf" in schema:
        (kind, shape), *rest = [_kind(one) for one in schema["anyOf"] if one != {"type": "null"}]
        nullable = {"type": "null"} in schema["anyOf"]
        return (f"{kind} or null" if nullable and not rest else kind), shape
    if name := _reference(schema):
        return name, name
    if schema.get("type") == "array":
        kind, shape = _kind(schema["items"])
        return f"array of {kind}", shape
    return schema.get("format") or schema.get("type") or "any JSON", ""


def _reference(schema: Json) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _curl(method: str, address: str, described: Json) -> str:
    """A command for a POSIX shell; `$PLACET_KEY` holds the key."""
    filled = address.replace("{run_id}", "$RUN").replace("{proposal_id}", "$PROPOSAL")
    lines = [f'curl "{filled}"', '-H "Authorization: Bearer $PLACET_KEY"']
    if method == "POST":
        lines.append(f'-H "{HEADER}: $(uuidgen)"')
        example = described["requestBody"]["content"]["application/json"]["example"]
        lines.append('-H "Content-Type: application/json"')
        lines.append(f"-d {_quoted(example)}")
    return " \\\n  ".join(lines)


def _quoted(example: Json) -> str:
    """JSON inside single quotes, as a shell takes it."""
    text = json.dumps(example, indent=2, ensure_ascii=False)
    return "'" + text.replace("'", "'\\''") + "'"
