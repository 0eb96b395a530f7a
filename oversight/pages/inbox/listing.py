"""What the inbox says about its lists: tabs, filters, counts, and whether they have changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engine.models import Proposal
from oversight.pages.inbox import forms, past, reads
from oversight.pages.inbox.forms import Wish
from oversight.pages.inbox.narrowing import narrowed
from oversight.reading import counts, keyset, worklist

OPEN = {
    forms.TO_DECIDE: reads.to_decide,
    forms.CLAIMED: reads.claimed,
    forms.MINE: reads.not_theirs,
}
"""The places of what is open: whose proposals each of them holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenList:
    """One page of a place of what is open, with the count of the whole set and its neighbours."""

    page: worklist.Page[reads.Waiting]
    seen: worklist.Mark
    known: Mapping[str, list[str]]
    live_url: str
    before_url: str
    after_url: str

    @classmethod
    def read(cls, wish: Wish, person_id: int) -> "OpenList":
        everything = OPEN[wish.show](person_id)
        query = narrowed(everything, wish.narrowing.cleaned_data, person_id)
        page = reads.page(query, wish.cursor, person_id, theirs=wish.show != forms.MINE)
        seen = worklist.mark(query, "opened_at")
        return cls(
            page=page,
            seen=seen,
            known=reads.known(everything),
            live_url=address(wish, "live", seen=str(seen)),
            before_url=address(wish, before=page.before) if page.before else "",
            after_url=address(wish, after=page.after) if page.after else "",
        )


def news(wish: Wish, person_id: int) -> int:
    """How many proposals have come since the page that is being looked at."""
    query = narrowed(OPEN[wish.show](person_id), wish.narrowing.cleaned_data, person_id)
    return worklist.news(query, "opened_at", worklist.Mark.read(wish.seen))


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedList:
    """One page of what was decided, with its neighbours and with the mark of what it shows."""

    page: keyset.Page[past.Decided]
    count: counts.Count | None
    live_url: str
    newer_url: str
    older_url: str
    mark: str

    @property
    def words(self) -> str:
        """How many match, where anything narrows the list."""
        return "" if self.count is None else _("%(count)s in all") % {"count": self.count}

    @classmethod
    def read(cls, wish: Wish, person_id: int) -> "DecidedList":
        query = narrowed(_closed(), wish.narrowing.cleaned_data, person_id)
        page = past.page(query, wish.past)
        mark = _mark(page.rows)
        return cls(
            page=page,
            count=counts.count(query) if wish.narrowing.asked else None,
            mark=mark,
            newer_url=address(wish, newer=page.newer) if page.newer else "",
            older_url=address(wish, older=page.older) if page.older else "",
            live_url=address(wish, "live", seen=mark, **_place(wish))
            if _unsettled(page.rows)
            else "",
        )


def _closed() -> QuerySet[Proposal]:
    return Proposal.objects.exclude(closed_at=None)


def _place(wish: Wish) -> dict[str, str]:
    """The same page again, for the live update of its rows."""
    cursor = wish.past
    if cursor.at is None:
        return {}
    return {"newer" if cursor.newer else "older": f"{cursor.at.isoformat()}~{cursor.key}"}


def address(wish: Wish, name: str = "page", **query: str) -> str:
    """The same place with the same filters, and what else the address is to say."""
    return reverse(f"inbox:{name}", query={**wish.asked, **query})


def _unsettled(rows: Sequence[past.Decided]) -> bool:
    return any(row.unsettled for row in rows)


def _mark(rows: Sequence[past.Decided]) -> str:
    seen = "\n".join(
        f"{row.proposal_id} {row.version} {row.status} {row.effect} {row.verification}"
        for row in rows
    )
    return sha256(seen.encode()).hexdigest()[:16]


def tabs(wish: Wish, waiting: int, claimed: int) -> list[tuple[str, str, bool, int | None]]:
    words: dict[str, tuple[str, int | None]] = {
        forms.TO_DECIDE: (_("To decide"), waiting),
        forms.CLAIMED: (_("Claimed"), claimed),
        forms.DECIDED: (_("Decided"), None),
        forms.MINE: (_("Not yours to decide"), None),
    }
    return [
        (_of_place(show), label, wish.show == show, count) for show, (label, count) in words.items()
    ]


def _of_place(show: str) -> str:
    return reverse("inbox:page", query={} if show == forms.TO_DECIDE else {"show": show})


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One filter that narrows the list, and the address without it."""

    label: str
    value: str
    without: str


def chips(wish: Wish) -> list[Chip]:
    return [_chip(wish, name, value) for name, value in wish.narrowing.asked.items()]


def _chip(wish: Wish, name: str, value: str) -> Chip:
    field: Any = wish.narrowing.fields[name]
    rest = {each: said for each, said in wish.asked.items() if each != name}
    words = dict(getattr(field, "choices", ()))
    return Chip(
        label=str(field.label),
        value=str(words.get(value, value)),
        without=reverse("inbox:page", query=rest),
    )


def lead(wish: Wish, count: int) -> str:
    """What the head of an open list says of the whole set."""
    if not count:
        return ""
    if wish.show == forms.MINE:
        return _("Open, and for others to decide. Each says why.")
    if wish.narrowing.asked or wish.show == forms.CLAIMED:
        words = ngettext(
            "%(count)d proposal of yours to decide matches.",
            "%(count)d proposals of yours to decide match.",
            count,
        )
    else:
        words = ngettext(
            "%(count)d proposal waits for you.", "%(count)d proposals wait for you.", count
        )
    return words % {"count": count} + " " + _("What has the least time left is first.")
