"""Other code, as a newer release would be: what it has no more, and what it has instead."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from engine import actions, workflows
from engine.actions import Action
from engine.types import Facts
from engine.workflows import Workflow


@contextmanager
def newer_code() -> Iterator[None]:
    """What is registered or taken away in this block is so no more after it."""
    with patch.dict(actions._registry), patch.dict(workflows._registry):
        yield


def without_action(kind: type[Action]) -> None:
    del actions._registry[kind.name, kind.version]


def without_workflow(name: str, version: int = 1) -> None:
    del workflows._registry[name, version]


def newer_action(
    old: type[Action],
    carries_over: Mapping[int, Callable[[Facts], Facts]] | None = None,
    **body: Any,
) -> type[Action]:
    """The next version in its place; requests go on as they are, if nothing else is said."""
    without_action(old)
    carried = {old.version: dict} if carries_over is None else carries_over
    more = {**body, "version": old.version + 1, "carries_over": carried}
    newer = actions.register(type(old.__name__, (old,), more))
    actions.check_all()
    return newer


def newer_workflow(old: Workflow, **changed: Any) -> Workflow:
    """The next version in place of this one, with the same nodes; nothing is carried over yet."""
    without_workflow(old.name, old.version)
    kept = {"start": old.start, "searchable": old.searchable, "stands_on": old.stands_on}
    newer = Workflow(old.name, version=old.version + 1, **{**kept, **changed})
    newer.nodes.update(old.nodes)
    return newer
