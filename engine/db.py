"""The one place where SQL meets the driver: a call, a row, and the driver's errors translated."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection
from psycopg.types.json import Json

from .errors import BY_CODE, Conflict, PlacetError, Unavailable

REFUSED = "PLC00"
"""SQLSTATE with which a door refuses; the message is a code of `errors.BY_CODE`."""

NOT_INSTALLED = "This code's doors are not in the database: `manage.py migrate` first."


def as_json(value: Any) -> Json | None:
    """`value` as a parameter of type json; None stays NULL."""
    return None if value is None else Json(value)


def value(sql: str, params: Sequence[Any] = ()) -> Any:
    """The first column of the first row of one statement; None without a row."""
    with _translated():
        row = _cursor().execute(sql, params, prepare=True).fetchone()
    return None if row is None else row[0]


def rows(sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with _translated():
        return _cursor().execute(sql, params, prepare=True).fetchall()


def script(sql: str) -> None:
    """Several statements without parameters, as one transaction of the caller's."""
    with _translated():
        _cursor().execute(sql.encode())


class _Kept(threading.local):
    cursor: psycopg.Cursor[tuple[Any, ...]] | None = None


_kept = _Kept()


def _cursor() -> psycopg.Cursor[tuple[Any, ...]]:
    """This thread's cursor: to make one costs as much as to use it, and it knows the types."""
    connection.ensure_connection()
    raw, cursor = connection.connection, _kept.cursor
    if cursor is None or cursor.connection is not raw:
        cursor = _kept.cursor = psycopg.Cursor(raw)
    return cursor


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as problem:
        raise translated(problem) from problem
    except Exception as problem:
        if isinstance(problem.__cause__, psycopg.Error):
            raise translated(problem.__cause__) from problem
        raise


def translated(problem: psycopg.Error) -> Exception:
    """Our own error for what the driver said; the driver's where it is a fault in our SQL."""
    if problem.sqlstate == REFUSED:
        return _refusal(problem)
    if isinstance(problem, psycopg.errors.UniqueViolation):
        return Conflict(problem.diag.message_detail)
    if isinstance(problem, psycopg.errors.InvalidSchemaName):
        return Unavailable(NOT_INSTALLED)
    if isinstance(problem, psycopg.OperationalError | psycopg.InterfaceError):
        return Unavailable(f"The database cannot be reached: {problem}")
    return problem


def _refusal(problem: psycopg.Error) -> PlacetError:
    kind = BY_CODE.get(problem.diag.message_primary or "", Conflict)
    detail = problem.diag.message_detail or ""
    return kind(f"{(kind.__doc__ or '').strip()} ({detail})" if detail else None, detail=detail)
