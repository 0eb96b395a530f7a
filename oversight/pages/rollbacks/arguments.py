"""An action's arguments in words, from the schema that they are checked against."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic.fields import FieldInfo

from engine.actions import ActionArguments
from engine.concealing import Concealed

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument; `default` is JSON, and stands where it may be left out."""

    name: str
    kind: str
    required: bool
    default: str
    limits: tuple[SafeString, ...]
    description: str
    secret: bool


def of(model: type[ActionArguments]) -> tuple[Argument, ...]:
    """In the order in which they were written."""
    described = model.model_json_schema()
    required = described.get("required", ())
    return tuple(
        _argument(name, schema, model.model_fields[name], required=name in required)
        for name, schema in described.get("properties", {}).items()
    )


def schema(model: type[ActionArguments]) -> str:
    """The whole of it, as JSON Schema 2020-12."""
    return json.dumps(model.model_json_schema(), indent=2, ensure_ascii=False)


def _argument(name: str, schema: Schema, field: FieldInfo, *, required: bool) -> Argument:
    return Argument(
        name=name,
        kind=_kind(schema),
        required=required,
        default="" if required else json.dumps(schema.get("default"), ensure_ascii=False),
        limits=tuple(dict.fromkeys(_limits(schema))),
        description=schema.get("description", ""),
        secret=any(isinstance(mark, Concealed) for mark in field.metadata),
    )


def _kind(schema: Schema) -> str:
    """A type in words."""
    if "anyOf" in schema:
        kinds = dict.fromkeys(_kind(one) for one in schema["anyOf"])
        return _(" or ").join(kinds)
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return _("list of %(kind)s") % {"kind": _kind(schema.get("items", {}))}
    words = {
        "string": _("text"),
        "integer": _("whole number"),
        "number": _("number"),
        "boolean": _("truth"),
        "null": _("nothing"),
        "object": _("object"),
    }
    return words.get(schema.get("type", ""), _("any JSON"))


def _limits(schema: Schema) -> Iterator[SafeString]:
    """What else must hold, each in words."""
    either = [" ".join(_limits(one)) for one in schema.get("anyOf", ())]
    if any(either):
        yield mark_safe(_(" or ").join(filter(None, either)))  # noqa: S308 - escaped below
    if "items" in schema:
        yield from _limits(schema["items"])
    for value in [schema["const"]] if "const" in schema else schema.get("enum", ()):
        yield _code(json.dumps(value, ensure_ascii=False))
    if "pattern" in schema:
        yield format_html(_("matches {}"), _code(schema["pattern"]))
    for words in _span(schema):
        yield format_html("{}", words)


def _code(text: str) -> SafeString:
    return format_html("<code>{}</code>", text)


def _span(schema: Schema) -> Iterator[str]:
    """The least and the most: of entries in a list, of characters in a text, or of a number."""
    least = _first(schema, "minItems", "minLength")
    most = _first(schema, "maxItems", "maxLength")
    size = _entries if schema.get("type") == "array" else _characters
    if least is not None:
        yield _("at least %(size)s") % {"size": size(least)}
    if most is not None:
        yield _("at most %(size)s") % {"size": size(most)}
    if "minimum" in schema:
        yield _("at least %(size)s") % {"size": schema["minimum"]}
    if "maximum" in schema:
        yield _("at most %(size)s") % {"size": schema["maximum"]}


def _entries(count: int) -> str:
    return ngettext("%(count)d entry", "%(count)d entries", count) % {"count": count}


def _characters(count: int) -> str:
    return ngettext("%(count)d character", "%(count)d characters", count) % {"count": count}


def _first(schema: Schema, *names: str) -> Any:
    return next((schema[name] for name in names if name in schema), None)
