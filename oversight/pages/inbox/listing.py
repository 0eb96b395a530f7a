"""What the inbox says about its lists: tabs, counts, and whether they have changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from oversight.pages.inbox import reads
from oversight.pages.inbox.forms import Wish
from oversight.reading.keyset import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedList:
    """One page of what was decided, with its neighbours and with the mark of what it shows."""

    page: Page[reads.Decided]
    live_url: str
    newer_url: str
    older_url: str
    mark: str

    @classmethod
    def read(cls, wish: Wish) -> "DecidedList":
        page = reads.decided(wish.cursor)
        mark = _mark(page.rows)
        return cls(
            page=page,
            mark=mark,
            newer_url=_url("page", newer=page.newer) if page.newer else "",
            older_url=_url("page", older=page.older) if page.older else "",
            live_url=_url("live", seen=mark, **_place(wish)) if _unsettled(page.rows) else "",
        )


def _place(wish: Wish) -> dict[str, str]:
    """The same page again, for the live update of its rows."""
    cursor = wish.cursor
    if cursor.at is None:
        return {}
    return {"newer" if cursor.newer else "older": f"{cursor.at.isoformat()}~{cursor.key}"}


def _url(name: str, **query: str) -> str:
    return reverse(f"inbox:{name}", query={"show": "decided", **query})


def _unsettled(rows: Sequence[reads.Decided]) -> bool:
    return any(row.unsettled for row in rows)


def _mark(rows: Sequence[reads.Decided]) -> str:
    seen = "\n".join(f"{row.proposal_id} {row.version} {row.status} {row.effect}" for row in rows)
    return sha256(seen.encode()).hexdigest()[:16]


def tabs(wish: Wish, waiting: int) -> list[tuple[str, str, bool, int | None]]:
    return [
        (reverse("inbox:page"), _("To decide"), not wish.decided, waiting),
        (_url("page"), _("Decided"), wish.decided, None),
    ]


def count_in_words(count: int, listed: int) -> str:
    """What the head of the list says of the whole set, and of what is listed of it."""
    if not count:
        return ""
    words = ngettext(
        "%(count)d proposal waits for you. What has the least time left is first.",
        "%(count)d proposals wait for you. What has the least time left is first.",
        count,
    ) % {"count": count}
    if listed < count:
        words += " " + _("The first %(listed)d are listed.") % {"listed": listed}
    return words
