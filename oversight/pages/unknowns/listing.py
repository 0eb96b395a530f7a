"""What the list says of itself: its places, its counts, its pages."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from oversight.pages.unknowns import reads
from oversight.pages.unknowns.forms import Wish
from oversight.pages.unknowns.reads import Asked, Row
from oversight.reading import attention, worklist

Listed = list[tuple[Row, Asked]]


def to_settle(wish: Wish) -> dict[str, Any]:
    """The longest in doubt first."""
    mark = worklist.mark(reads.unknown(), "first_sent_at")
    found = reads.work(wish.cursor)
    return {
        "rows": _with_asked(found.rows),
        "lead": _lead(mark.count),
        "news_url": reverse("unknowns:news", query={"seen": str(mark)}),
        "back_url": _url(before=found.before) if found.before else "",
        "on_url": _url(after=found.after) if found.after else "",
        "last_settled": None if found.rows else reads.last_settled(),
    }


def _lead(count: int) -> str:
    if not count:
        return ""
    words = ngettext(
        "Of %(count)d effect nobody can tell whether it happened.",
        "Of %(count)d effects nobody can tell whether they happened. The oldest is first.",
        count,
    )
    return words % {"count": count}


def settled(wish: Wish) -> dict[str, Any]:
    """The latest settled first."""
    found = reads.history(wish.past)
    return {
        "rows": _with_asked(found.rows),
        "lead": _("Effects that were in doubt and are not any more, the latest first."),
        "newer_url": _url(show="settled", newer=found.newer) if found.newer else "",
        "older_url": _url(show="settled", older=found.older) if found.older else "",
    }


def _with_asked(rows: tuple[Row, ...]) -> Listed:
    asked = reads.asked(row.run_id for row in rows)
    return [(row, asked.get(str(row.effect_id), Asked())) for row in rows]


def tabs(wish: Wish) -> list[tuple[str, str, bool, int]]:
    return [
        (reverse("unknowns:page"), _("Unknown"), not wish.settled, attention.unknown_effects()),
        (_url(show="settled"), _("Settled"), wish.settled, reads.settled().count()),
    ]


def _url(**query: str) -> str:
    return reverse("unknowns:page", query=query)
