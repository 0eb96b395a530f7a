"""Pages of a list that grows while it is read: by key, so that no row is skipped or repeated.

A page ends at a moment and an id; the next one begins behind them, whatever was added meanwhile.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core.exceptions import BadRequest
from django.db.models import Model, Q, QuerySet

Row = TypeVar("Row")
Record = TypeVar("Record", bound=Model)

SIZE = 50
"""How many rows a page holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Newest first, by the columns `at` (a moment) and `key` (a UUID)."""

    at: str
    key: str

    def apply(self, query: QuerySet[Record], cursor: "Cursor") -> QuerySet[Record]:
        compare, sign = ("gt", "") if cursor.newer else ("lt", "-")
        if cursor.at is not None:
            query = query.filter(
                Q(**{f"{self.at}__{compare}": cursor.at})
                | Q(**{self.at: cursor.at, f"{self.key}__{compare}": cursor.key})
            )
        return query.order_by(f"{sign}{self.at}", f"{sign}{self.key}")

    def place(self, record: Model) -> str:
        return f"{getattr(record, self.at).isoformat()}~{getattr(record, self.key)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a page begins: behind (`newer`: before) one row; without a row, at the newest."""

    at: datetime | None = None
    key: uuid.UUID | None = None
    newer: bool = False

    @classmethod
    def read(cls, query: Any) -> "Cursor":
        """From `?older=` or `?newer=`. Raises BadRequest for what is no place in a list."""
        for name in ("older", "newer"):
            if name in query:
                return cls._read(query[name], newer=name == "newer")
        return cls()

    @classmethod
    def _read(cls, place: str, *, newer: bool) -> "Cursor":
        moment, _, key = place.partition("~")
        try:
            at = datetime.fromisoformat(moment)
            if at.tzinfo is None:
                raise ValueError("a moment without a zone")
            return cls(at=at, key=uuid.UUID(key), newer=newer)
        except ValueError as problem:
            raise BadRequest("This is no place in the list.") from problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Row]):
    """Rows, newest first, and where the neighbouring pages begin ("" where there is none)."""

    rows: tuple[Row, ...]
    newer: str = ""
    older: str = ""


def page(
    query: QuerySet[Record],
    order: Order,
    cursor: Cursor,
    make: Callable[[Record], Row],
) -> Page[Row]:
    """One page of `query`, one query. Each record becomes a row through `make`."""
    found = list(order.apply(query, cursor)[: SIZE + 1])
    more, records = len(found) > SIZE, found[:SIZE]
    if cursor.newer:
        records.reverse()
    if not records:
        return Page(rows=())
    has_newer = more if cursor.newer else cursor.at is not None
    has_older = more or cursor.newer
    return Page(
        rows=tuple(make(record) for record in records),
        newer=order.place(records[0]) if has_newer else "",
        older=order.place(records[-1]) if has_older else "",
    )
