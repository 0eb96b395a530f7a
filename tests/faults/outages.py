"""A worker that dies, or loses the other side, exactly at the n-th thing that it asks of it.

The other side is the database, by statements, and the target, by an action's calls.
"""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self
from unittest.mock import patch

from engine import db
from engine.errors import Unavailable
from engine.kit.sql import SqlUpdate


class Died(BaseException):
    """The process is gone: nothing catches this, nothing is cleaned up."""


def connection_lost() -> Unavailable:
    return Unavailable("the connection was lost")


KINDS: dict[str, Callable[[], BaseException]] = {"dies": Died, "loses": connection_lost}
BEFORE, AFTER = "before", "after"


CALLS = ("execute", "read", "fence", "reconcile")
"""What an action asks of its target; its precondition and its verification are reads."""


class Outage:
    """While it lasts, this thread's n-th statement or call fails: `before` it reached the other
    side, or `after`, when it was carried out and only the answer is lost. It strikes once, and may
    be entered again: it goes on counting.

    `sent` lists what was sent, a call by its name; with `nth=0` it only listens. Calls count only
    with `calls`.
    """

    def __init__(
        self, nth: int = 0, when: str = BEFORE, kind: str = "dies", *, calls: bool = False
    ) -> None:
        self._nth, self._when, self._kind = nth, when, kind
        self._names = CALLS if calls else ()
        self._thread = threading.get_ident()
        self.sent: list[str] = []
        self.struck = False

    def __enter__(self) -> Self:
        self._patches = ExitStack()
        self._patches.enter_context(patch.object(db, "value", self._statement(db.value)))
        for name in self._names:
            real = getattr(SqlUpdate, name)
            self._patches.enter_context(patch.object(SqlUpdate, name, self._call(name, real)))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._patches.close()

    def _statement(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def value(sql: str, params: Any = ()) -> Any:
            return self._met(sql, lambda: real(sql, params))

        return value

    def _call(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **facts: Any) -> Any:
            return self._met(f"call: {name}", lambda: real(*args, **facts))

        return call

    def _met(self, what: str, go: Callable[[], Any]) -> Any:
        if threading.get_ident() != self._thread:
            return go()
        self.sent.append(what)
        strikes = len(self.sent) == self._nth
        if strikes and self._when == BEFORE:
            self._strike()
        answer = go()
        if strikes:
            self._strike()
        return answer

    def _strike(self) -> None:
        self.struck = True
        raise KINDS[self._kind]()
