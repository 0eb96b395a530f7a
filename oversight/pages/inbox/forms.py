"""What the address of the inbox may say."""

from dataclasses import dataclass

from django.core.exceptions import BadRequest
from django.http import QueryDict

from oversight.reading.keyset import Cursor

PLACES = ("to-decide", "decided")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which place of the inbox is asked for, and which page of it."""

    show: str
    cursor: Cursor
    seen: str

    @property
    def decided(self) -> bool:
        return self.show == "decided"


def read(query: QueryDict) -> Wish:
    """Raises BadRequest for a place that the inbox does not have."""
    show = query.get("show", PLACES[0])
    if show not in PLACES:
        raise BadRequest("The inbox has no such place.")
    return Wish(show=show, cursor=Cursor.read(query), seen=query.get("seen", ""))
