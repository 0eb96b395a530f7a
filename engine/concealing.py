"""Secrets: arguments that are used and never shown.

An argument typed `Secret` is replaced, when arguments are frozen, by a keyed fingerprint; the
value itself lies encrypted beside. Events, checkpoints, evidence, digest and pages carry only the
fingerprint: a reviewer sees *that* a secret changed, never what it is. The same value gives the
same fingerprint, and without the key nobody can try values out against it.

Values that a worker has revealed for the time of an act are struck out of whatever it writes
afterwards: what a target repeats in an error does not leave by that road.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from pydantic import BaseModel, StringConstraints

from .errors import BadInput, Damaged
from .store import secrets


@dataclass(frozen=True, slots=True)
class Concealed:
    """Marks a field of an action's arguments as secret."""


Secret = Annotated[str, StringConstraints(min_length=8, max_length=4096), Concealed()]
"""A text argument that is executed and never shown. At least eight characters."""

PREFIX = "secret:"

_revealed: ContextVar[Mapping[str, str] | None] = ContextVar("revealed", default=None)


def conceal(model: BaseModel) -> dict[str, Any]:
    """The JSON value of `model` with every secret replaced by its fingerprint, and kept."""
    document = model.model_dump(mode="json")
    for holder, name in _places(type(model), document):
        if holder[name].startswith(PREFIX):
            # A fingerprint is seen by many; it must never stand in for the value it names.
            raise BadInput(f"A secret does not begin with {PREFIX!r}.", path=f"$.arguments..{name}")
        holder[name] = _kept(holder[name])
    return document


def reveal(model: type[BaseModel], document: dict[str, Any]) -> dict[str, Any]:
    """`document` with every fingerprint replaced by the value, for the time of an act."""
    for holder, name in _places(model, document):
        fingerprint = holder[name]
        holder[name] = _value(fingerprint)
        _revealed.set({**(_revealed.get() or {}), holder[name]: fingerprint})
    return document


def unchanged(
    model: type[BaseModel], document: dict[str, Any], stored: Mapping[str, Any]
) -> dict[str, Any]:
    """`document` with the value behind each fingerprint that stands at the same place in `stored`:
    whoever may not see a secret can leave it as it is, and put no other one in its place."""
    for name in model.model_fields:
        if name in document and document[name] == stored.get(name):
            document[name] = reveal(model, {name: document[name]})[name]
    return document


def has_secrets(model: type[BaseModel]) -> bool:
    """Whether a document of this model may hold secrets, however deep its types put them."""
    fields = model.model_fields.values()
    return any(_may_hold_secrets(field.annotation, field.metadata) for field in fields)


def _may_hold_secrets(annotation: Any, marks: Iterable[Any]) -> bool:
    if any(isinstance(mark, Concealed) for mark in marks):
        return True
    if _is_model(annotation):
        return has_secrets(annotation)
    inner = get_args(annotation)
    if get_origin(annotation) is Annotated:
        return _may_hold_secrets(inner[0], inner[1:])
    return any(_may_hold_secrets(one, ()) for one in inner)


def forget() -> None:
    """Start afresh: nothing has been revealed yet."""
    _revealed.set(None)


def struck(text: str) -> str:
    """`text` without any value that was revealed, plain or as JSON writes it."""
    for value, fingerprint in (_revealed.get() or {}).items():
        for spelling in {
            value,
            json.dumps(value)[1:-1],
            json.dumps(value, ensure_ascii=False)[1:-1],
        }:
            text = text.replace(spelling, fingerprint)
    return text


def without_secrets(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """`facts` without any value that was revealed."""
    if not _revealed.get():
        return facts
    clean: Mapping[str, Any] = json.loads(struck(json.dumps(facts, ensure_ascii=False)))
    return clean


def _places(model: type[BaseModel], document: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Where secrets stand in a document of this model: (container, key or index)."""
    for name, field in model.model_fields.items():
        if name in document:
            yield from _within(field.annotation, field.metadata, document, name)


def _within(
    annotation: Any, marks: Iterable[Any], holder: Any, key: Any
) -> Iterator[tuple[Any, Any]]:
    """Secrets in one value, however deep its type puts them: optional, in lists, in models."""
    value, origin, inner = holder[key], get_origin(annotation), get_args(annotation)
    if any(isinstance(mark, Concealed) for mark in marks):
        if isinstance(value, str):
            yield holder, key
    elif origin is Annotated:
        yield from _within(inner[0], inner[1:], holder, key)
    elif origin in (Union, UnionType):
        for choice in inner:
            yield from _within(choice, (), holder, key)
    else:
        yield from _inside(annotation, inner, value)


def _inside(annotation: Any, inner: tuple[Any, ...], value: Any) -> Iterator[tuple[Any, Any]]:
    """Secrets in what a list, an object or a model holds."""
    match value:
        case list() if inner:
            for index in range(len(value)):
                yield from _within(inner[0], (), value, index)
        case dict() if len(inner) == 2:
            for name in value:
                yield from _within(inner[1], (), value, name)
        case dict() if _is_model(annotation):
            yield from _places(annotation, value)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _kept(value: str) -> str:
    fingerprint = PREFIX + hmac.new(_key("fingerprint"), value.encode(), "sha256").hexdigest()
    secrets.keep_secret(fingerprint, _cipher().encrypt(value.encode()))
    return fingerprint


def _value(fingerprint: str) -> str:
    sealed = secrets.sealed_secret(fingerprint)
    if sealed is None:
        raise Damaged("A secret that this needs is not kept here.")
    try:
        return _cipher().decrypt(sealed).decode()
    except InvalidToken as problem:
        raise Damaged("A secret was sealed under another key.") from problem


@cache
def _cipher() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(_key("cipher")))


def _key(purpose: str) -> bytes:
    """32 bytes for one purpose, from the installation's key for secrets."""
    root = getattr(settings, "PLACET_SECRETS_KEY", "") or settings.SECRET_KEY
    return hashlib.sha256(f"placet.secret.{purpose}:{root}".encode()).digest()
