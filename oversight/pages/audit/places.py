"""Pages of the log, newest first: by instant, run and number, for many events share an instant."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.core.exceptions import BadRequest
from django.db.models import Q, QuerySet
from django.http import QueryDict

from engine.models import Event
from oversight.reading import keyset
from oversight.reading.keyset import Page

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One event's place among all. It is written as `instant~run~number`."""

    at: datetime
    run_id: uuid.UUID
    seq: int

    def __str__(self) -> str:
        return f"{self.at.isoformat()}~{self.run_id}~{self.seq}"

    @classmethod
    def of(cls, event: Event) -> "Place":
        return cls(at=event.at, run_id=event.run_id, seq=event.seq)

    @classmethod
    def read(cls, text: str) -> "Place":
        """Raises BadRequest for what is no place in the log."""
        try:
            at, run_id, seq = text.split("~")
            place = cls(at=datetime.fromisoformat(at), run_id=uuid.UUID(run_id), seq=int(seq))
            if place.at.tzinfo is None or not 0 < place.seq < 2**63:
                raise ValueError("a moment without a zone, or no number of an event")
        except ValueError as problem:
            raise BadRequest("This is no place in the log.") from problem
        return place

    def beyond(self, compare: str) -> Q:
        """Events before (`lt`) or after (`gt`) this place; an index reads the first part."""
        return Q(**{f"at__{compare}e": self.at}) & (
            Q(**{f"at__{compare}": self.at})
            | Q(**{f"run_id__{compare}": self.run_id})
            | Q(run_id=self.run_id, **{f"seq__{compare}": self.seq})
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a page begins: behind (`newer`: before) a place; without one, at the newest event."""

    place: Place | None = None
    newer: bool = False

    @classmethod
    def read(cls, query: QueryDict) -> "Cursor":
        for name in ("older", "newer"):
            if name in query:
                return cls(place=Place.read(str(query[name])), newer=name == "newer")
        return cls()


def page(query: QuerySet[Event], cursor: Cursor, make: Callable[[Any], Row]) -> Page[Row]:
    """One page of these events, one query."""
    compare, sign = ("gt", "") if cursor.newer else ("lt", "-")
    if cursor.place is not None:
        query = query.filter(cursor.place.beyond(compare))
    order = (f"{sign}at", f"{sign}run_id", f"{sign}seq")
    found = list(query.order_by(*order)[: keyset.SIZE + 1])
    more, events = len(found) > keyset.SIZE, found[: keyset.SIZE]
    if cursor.newer:
        events.reverse()
    return _page(events, cursor, more, make)


def _page(events: list[Event], cursor: Cursor, more: bool, make: Callable[[Any], Row]) -> Page[Row]:
    if not events:
        return Page(rows=())
    has_newer = more if cursor.newer else cursor.place is not None
    has_older = more or cursor.newer
    return Page(
        rows=tuple(make(event) for event in events),
        newer=str(Place.of(events[0])) if has_newer else "",
        older=str(Place.of(events[-1])) if has_older else "",
    )
