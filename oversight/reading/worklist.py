"""Pages of a list of work: what weighs most is first, then what has waited longest.

A page ends at a weight, a moment and an id; the next one begins behind them, so that no row is
skipped or repeated while others come and go.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core.exceptions import BadRequest
from django.db.models import Count, Max, Model, Q, QuerySet

Row = TypeVar("Row")
Record = TypeVar("Record", bound=Model)

SIZE = 50
"""How many rows a page holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """By the columns `weight` (a small number, the least is first), `at` and `key` (a UUID)."""

    weight: str
    at: str
    key: str

    def apply(self, query: QuerySet[Record], cursor: "Cursor") -> QuerySet[Record]:
        compare, sign = ("lt", "-") if cursor.before else ("gt", "")
        if cursor.place is not None:
            query = query.filter(self._beyond(cursor.place, compare))
        return query.order_by(*(f"{sign}{column}" for column in (self.weight, self.at, self.key)))

    def _beyond(self, place: "Place", compare: str) -> Q:
        same_weight = Q(**{self.weight: place.weight})
        return (
            Q(**{f"{self.weight}__{compare}": place.weight})
            | same_weight & Q(**{f"{self.at}__{compare}": place.at})
            | same_weight & Q(**{self.at: place.at, f"{self.key}__{compare}": place.key})
        )

    def place(self, record: Model) -> str:
        weight, at, key = (getattr(record, name) for name in (self.weight, self.at, self.key))
        return f"{weight}~{at.isoformat()}~{key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One row's place in the order."""

    weight: int
    at: datetime
    key: uuid.UUID

    @classmethod
    def read(cls, text: str) -> "Place":
        """What `Order.place` wrote. Raises BadRequest for anything else."""
        weight, _, rest = text.partition("~")
        moment, _, key = rest.partition("~")
        try:
            at = datetime.fromisoformat(moment)
            if at.tzinfo is None or len(weight) > 4:
                raise ValueError("a moment without a zone, or a weight that is none")
            return cls(weight=int(weight), at=at, key=uuid.UUID(key))
        except ValueError as problem:
            raise BadRequest("This is no place in the list.") from problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a page begins: behind one row, or (`before`) in front of it; else at the top."""

    place: Place | None = None
    before: bool = False

    @classmethod
    def read(cls, query: Any) -> "Cursor":
        """From `?after=` or `?before=`. Raises BadRequest for what is no place in a list."""
        for name in ("after", "before"):
            if name in query:
                return cls(place=Place.read(query[name]), before=name == "before")
        return cls()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Row]):
    """Rows in their order, and where the neighbouring pages begin ("" where there is none)."""

    rows: tuple[Row, ...]
    before: str = ""
    after: str = ""


def page(
    query: QuerySet[Record], order: Order, cursor: Cursor, make: Callable[[Record], Row]
) -> Page[Row]:
    """One page of `query`, one query. Each record becomes a row through `make`."""
    found = list(order.apply(query, cursor)[: SIZE + 1])
    more, records = len(found) > SIZE, found[:SIZE]
    if cursor.before:
        records.reverse()
    if not records:
        return Page(rows=())
    has_before = more if cursor.before else cursor.place is not None
    has_after = more or cursor.before
    return Page(
        rows=tuple(make(record) for record in records),
        before=order.place(records[0]) if has_before else "",
        after=order.place(records[-1]) if has_after else "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a reader of the list has seen of it: how many there were, and the newest of them."""

    count: int = 0
    newest: datetime | None = None

    def __str__(self) -> str:
        return f"{self.count}~{self.newest.isoformat() if self.newest else ''}"

    @classmethod
    def read(cls, text: str) -> "Mark":
        """What `str` wrote; something else counts as having seen nothing."""
        count, _, newest = text.partition("~")
        try:
            return cls(count=int(count), newest=datetime.fromisoformat(newest) if newest else None)
        except ValueError:
            return cls()


def mark(query: QuerySet[Any], at: str) -> Mark:
    found = query.aggregate(count=Count("pk"), newest=Max(at))
    return Mark(count=found["count"], newest=found["newest"])


def news(query: QuerySet[Any], at: str, seen: Mark) -> int:
    """How many rows have come since `seen`. One may be older than the newest that was seen: the
    longer list gives it away."""
    newer = Q(**{f"{at}__gt": seen.newest}) if seen.newest else Q()
    found = query.aggregate(count=Count("pk"), newer=Count("pk", filter=newer))
    return max(found["newer"], found["count"] - seen.count)
