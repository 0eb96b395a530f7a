"""The actions that this code knows, each with its rollback plan."""

from dataclasses import dataclass

from django.urls import reverse

from engine import actions, rehearsing
from engine.actions import Action
from oversight.pages.rollbacks import arguments
from oversight.pages.rollbacks.arguments import Argument

Name = tuple[str, int]
"""An action's name and version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """An action that another one points to."""

    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How one version of an action is taken back; `by` is the action that does it, if any does.

    `takes_back` are the actions whose plan this action is; `not_rehearsable` is why it cannot be
    rehearsed, "" where it can.
    """

    name: str
    version: int
    label: str
    title: str
    risk: str
    target_class: str
    kind: str
    summary: str
    by: Named | None
    takes_back: tuple[Named, ...]
    not_rehearsable: str

    @property
    def key(self) -> Name:
        return self.name, self.version

    @property
    def url(self) -> str:
        return _url(self.name, self.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """Everything that this code says of one action. Spans are in seconds; `defined` is where."""

    plan: Plan
    verification: str
    call_seconds: float
    verify_seconds: float
    dedupe_window: float
    arguments: tuple[Argument, ...]
    schema: str
    defined: str


def all_of_them() -> tuple[Plan, ...]:
    """By name, then by version."""
    return tuple(_plan(action) for action in actions.registered())


def whole(name: str, version: int) -> Whole | None:
    """One version of an action; None where this code has it not."""
    found = (each for each in actions.registered() if (each.name, each.version) == (name, version))
    action = next(found, None)
    return None if action is None else _whole(action)


def _whole(action: type[Action]) -> Whole:
    return Whole(
        plan=_plan(action),
        verification=action.verification,
        call_seconds=action.call_seconds,
        verify_seconds=action.verify_seconds,
        dedupe_window=action.dedupe_window,
        arguments=arguments.of(action.Arguments),
        schema=arguments.schema(action.Arguments),
        defined=f"{action.__module__}.{action.__qualname__}",
    )


def _plan(action: type[Action]) -> Plan:
    return Plan(
        name=action.name,
        version=action.version,
        label=action.label(),
        title=action.title,
        risk=action.risk,
        target_class=action.target_class,
        kind=action.rollback.kind,
        summary=action.rollback.summary,
        by=_named(action.rollback.inverse) if action.rollback.inverse else None,
        takes_back=tuple(
            _named(each) for each in actions.registered() if each.rollback.inverse is action
        ),
        not_rehearsable=rehearsing.why_not(action),
    )


def _named(action: type[Action]) -> Named:
    return Named(label=action.label(), url=_url(action.name, action.version))


def _url(name: str, version: int) -> str:
    return reverse("rollbacks:action", args=[name, version])
