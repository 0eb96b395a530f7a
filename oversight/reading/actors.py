"""Who did something: the texts by which the log names people, agents and the engine itself."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A name to show, and whether it is a person, an agent, a command, a stranger or the
    engine."""

    name: str
    kind: str


def actor(text: str, names: Mapping[int, str]) -> Actor:
    """The actor whom the log calls `agent:…`, `person:<id>`, `command:…`, `stranger:…` or
    `system:…`."""
    kind, _colon, name = text.partition(":")
    if kind == "agent":
        return Actor(name=name, kind="agent")
    if kind == "person":
        return Actor(name=names.get(int(name), text) if name.isdigit() else text, kind="person")
    if kind == "command":
        return Actor(name=_("%(user)s at the command line") % {"user": name}, kind="command")
    if kind == "stranger":
        return Actor(name=_("somebody unknown"), kind="stranger")
    return Actor(name=_ENGINE.get(name, lambda: text)(), kind="engine")


_ENGINE = {
    "worker": lambda: _("worker"),
    "sweep": lambda: _("sweep"),
    "placet": lambda: _("installation"),
}


def names(texts: Iterable[str]) -> dict[int, str]:
    """The names of the people among these actors, by their id; one query, or none."""
    ids = {int(text.removeprefix("person:")) for text in texts if _is_person(text)}
    if not ids:
        return {}
    return {person.pk: str(person) for person in get_user_model().objects.filter(pk__in=ids)}


def _is_person(text: str) -> bool:
    return text.startswith("person:") and text.removeprefix("person:").isdigit()
