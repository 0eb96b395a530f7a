"""Several things at once, on connections of their own, in an order that is not left to chance."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import psycopg
from django.db import connections

from engine import db
from tests.world import Database

PATIENCE = 20.0
Act = Callable[[], Any]
Connection = psycopg.Connection[dict[str, Any]]


def together(acts: Sequence[Act], patience: float = PATIENCE) -> list[Any]:
    """Do all of them at the same instant; give what each returned or raised, in their order."""
    barrier = threading.Barrier(len(acts))

    def one(act: Act) -> Any:
        barrier.wait(PATIENCE)
        return act()

    with ThreadPoolExecutor(len(acts)) as threads:
        futures = [threads.submit(alone, one, act) for act in acts]
        return [answer(future, patience) for future in futures]


def in_line_for(
    database: Database,
    run_id: object,
    acts: Sequence[Act],
    meanwhile: Callable[[Connection], Any] = lambda holder: None,
) -> list[Any]:
    """Do them one right behind the other: all wait for the run's row, in this order.

    Somebody else's transaction holds the row until the last has come to it, so all of them have
    begun before the first may go on; that one can do something `meanwhile`.
    """
    with ThreadPoolExecutor(len(acts)) as threads:
        with database.connected() as holder, holder.transaction():
            holder.execute("SELECT 1 FROM engine_run WHERE run_id = %s FOR UPDATE", [run_id])
            futures = []
            for number, act in enumerate(acts, 1):
                futures.append(threads.submit(alone, act))
                wait_for_waiting(database, number)
            meanwhile(holder)
        return [answer(future) for future in futures]


def wait_for_waiting(database: Database, count: int, where: str = "") -> None:
    """Until so many connections of this database wait for a lock, in a statement that speaks of
    `where` (a door)."""
    deadline = time.monotonic() + PATIENCE
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'"
        " AND strpos(query, %s) > 0"
    )
    with database.connected() as watching:
        while True:
            row = watching.execute(query, [database.name, where]).fetchone()
            if row and row["count"] >= count:
                return
            assert time.monotonic() < deadline, f"{count} should wait, {row} do"


def answer(future: Future[Any], patience: float = PATIENCE) -> Any:
    """What it returned; or the error it raised, as a value."""
    problem = future.exception(patience)
    return problem if problem is not None else future.result()


def alone(act: Callable[..., Any], *args: Any) -> Any:
    """In a thread, whose connection is closed with it."""
    try:
        return act(*args)
    finally:
        connections.close_all()


@contextmanager
def just_before(what: str, interrupt: Act) -> Iterator[None]:
    """The first time that this thread is about to send a statement that speaks of `what` (a door,
    an event's kind), something else happens first, on another connection."""
    me, real, due = threading.get_ident(), db.value, [interrupt]

    def value(sql: str, params: Sequence[Any] = ()) -> Any:
        if threading.get_ident() == me and due and (what in sql or what in params):
            elsewhere(due.pop())
        return real(sql, params)

    with patch.object(db, "value", value):
        yield
    assert not due, f"nobody sent a statement that speaks of {what}"


def elsewhere(act: Act) -> Any:
    """In another thread and on another connection, and wait for it."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(alone, act).result(PATIENCE)
