"""Two who act on one run at once, on connections of their own, each held right before its door.

Nothing here is left to chance: one is let through and its transaction kept open, the other is let
go until the server says that it waits for the first, and then the first commits or is rolled back.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from django.db import connection, transaction

from engine import db
from engine.errors import Unavailable
from tests.engine.together import PATIENCE, Act, alone
from tests.world import Database


@dataclass(eq=False)
class Party:
    """One who acts: `act` comes to the statement that speaks of `door`, and stands there.

    `said` is what the door told, or the error by which it refused. `may_end` is None for one that
    commits at once; `meanwhile` is done in its transaction, and `undone` rolls that back.
    """

    door: str
    act: Act
    said: Any = None
    backend: int = 0
    meanwhile: Act | None = None
    undone: bool = False
    future: Future[Any] | None = None
    at_door: threading.Event = field(default_factory=threading.Event)
    may_enter: threading.Event = field(default_factory=threading.Event)
    inside: threading.Event = field(default_factory=threading.Event)
    may_end: threading.Event | None = None
    through: threading.Event = field(default_factory=threading.Event)
    may_go_on: threading.Event = field(default_factory=threading.Event)

    def comes_to(self, door: Act) -> Any:
        """In its own thread: stand before the door, pass it once let in, stand behind it."""
        connection.ensure_connection()
        self.backend = connection.connection.info.backend_pid
        stand(self.at_door, self.may_enter)
        try:
            return self._told_by(door) if self.may_end is None else self._slowly(door)
        finally:
            self.inside.set()
            stand(self.through, self.may_go_on)

    def _slowly(self, door: Act) -> Any:
        assert self.may_end is not None
        with transaction.atomic():
            answer = self._told_by(door)
            if self.meanwhile is not None:
                self.meanwhile()
            stand(self.inside, self.may_end)
            if self.undone:
                raise Unavailable("the connection was lost before the commit")
        return answer

    def _told_by(self, door: Act) -> Any:
        try:
            self.said = door()
        except Exception as refusal:
            self.said = refusal
            raise
        return self.said

    def goes_home(self) -> None:
        """It goes on with what it does after its door, and ends."""
        self.may_enter.set()
        self.may_go_on.set()
        assert self.future is not None
        self.future.exception(PATIENCE)


def stand(here: threading.Event, until: threading.Event) -> None:
    here.set()
    assert until.wait(PATIENCE), "nobody let it go on"


class Meeting:
    """Where parties meet. Each acts in a thread of its own from the moment it is invited."""

    def __init__(self, database: Database, threads: ThreadPoolExecutor) -> None:
        self.database, self._threads = database, threads
        self._parties: dict[int, Party] = {}

    def invite(self, door: str, act: Act) -> Party:
        """Gives the party when it stands before its door."""
        party = Party(door, act)
        party.future = self._threads.submit(alone, self._as, party)
        party.future.add_done_callback(lambda _: party.at_door.set())
        assert party.at_door.wait(PATIENCE), f"it never comes to {door}"
        assert not party.future.done(), f"{door}: {party.future.exception()!r}"
        return party

    def _as(self, party: Party) -> Any:
        self._parties[threading.get_ident()] = party
        return party.act()

    def value(self, real: Any, sql: str, params: Sequence[Any] = ()) -> Any:
        party = self._parties.get(threading.get_ident())
        if party is None or not (f".{party.door}(" in sql or party.door in params):
            return real(sql, params)
        del self._parties[threading.get_ident()]
        return party.comes_to(lambda: real(sql, params))

    def one_after_the_other(
        self, first: Party, second: Party, meanwhile: Act | None = None
    ) -> None:
        """No overlap at their doors: the first is through before the second enters."""
        first.may_enter.set()
        assert first.through.wait(PATIENCE)
        if meanwhile is not None:
            meanwhile()
        second.may_enter.set()
        assert second.through.wait(PATIENCE)

    def one_waits_for_the_other(self, first: Party, second: Party, *, undone: bool = False) -> bool:
        """The second comes while the first has not committed; gives whether it had to wait."""
        first.may_end, first.undone = threading.Event(), undone
        first.may_enter.set()
        assert first.inside.wait(PATIENCE)
        second.may_enter.set()
        had_to_wait = self._waits(second, first)
        first.may_end.set()
        for party in (first, second):
            assert party.through.wait(PATIENCE)
        return had_to_wait

    def _waits(self, one: Party, other: Party) -> bool:
        """As soon as one waits for the other's transaction; or is through without."""
        deadline = time.monotonic() + PATIENCE
        query = "SELECT %s = ANY (pg_blocking_pids(%s))"
        while not one.through.is_set():
            if self.database.value(query, other.backend, one.backend):
                return True
            assert time.monotonic() < deadline, f"{one.door} neither waits nor passes"
        return False


@contextmanager
def meeting(database: Database) -> Iterator[Meeting]:
    real = db.value
    with ThreadPoolExecutor(8) as threads:
        here = Meeting(database, threads)
        with patch.object(db, "value", lambda sql, params=(): here.value(real, sql, params)):
            yield here
