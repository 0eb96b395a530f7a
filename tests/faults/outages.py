"""A worker that dies, or loses its database, exactly at the n-th statement it sends."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from engine import db
from engine.errors import Unavailable


class Died(BaseException):
    """The process is gone: nothing catches this, nothing is cleaned up."""


def connection_lost() -> Unavailable:
    return Unavailable("the connection was lost")


KINDS: dict[str, Callable[[], BaseException]] = {"dies": Died, "loses": connection_lost}
BEFORE, AFTER = "before", "after"


class Outage:
    """While it lasts, this thread's n-th statement fails: `before` it reached the database, or
    `after`, when it was carried out and only the answer is lost. It strikes once.

    `sent` lists the statements seen; with `nth=0` it only listens.
    """

    def __init__(self, nth: int = 0, when: str = BEFORE, kind: str = "dies") -> None:
        self._nth, self._when, self._kind = nth, when, kind
        self._thread = threading.get_ident()
        self.sent: list[str] = []
        self.struck = False

    def __enter__(self) -> Self:
        self._real, db.value = db.value, self._value
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        db.value = self._real

    def _value(self, sql: str, params: Any = ()) -> Any:
        if threading.get_ident() != self._thread:
            return self._real(sql, params)
        self.sent.append(sql)
        strikes = len(self.sent) == self._nth
        if strikes and self._when == BEFORE:
            self._strike(sql)
        answer = self._real(sql, params)
        if strikes:
            self._strike(sql)
        return answer

    def _strike(self, sql: str) -> None:
        self.struck = True
        raise KINDS[self._kind]()
