"""What the list says of itself: its places, its counts, its pages."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from oversight.pages.alerts import reads
from oversight.pages.alerts.forms import Wish
from oversight.pages.alerts.reads import Counts
from oversight.reading import worklist


def to_answer(wish: Wish, counts: Counts) -> dict[str, Any]:
    """Open ones, or those that somebody took on: failed verifications first, then by age."""
    mark = worklist.mark(reads.with_status(wish.show), "raised_at")
    found = reads.work(wish.show, wish.cursor)
    return {
        "rows": found.rows,
        "lead": _lead(wish, counts),
        "news_url": reverse("alerts:news", query={"show": wish.show, "seen": str(mark)}),
        "back_url": _url(show=wish.show, before=found.before) if found.before else "",
        "on_url": _url(show=wish.show, after=found.after) if found.after else "",
        "last_raised": None if found.rows else reads.last_raised(),
    }


def dealt_with(wish: Wish) -> dict[str, Any]:
    found = reads.history(wish.past)
    return {
        "rows": found.rows,
        "lead": _("Alerts that were dealt with, the latest first."),
        "newer_url": _url(show="resolved", newer=found.newer) if found.newer else "",
        "older_url": _url(show="resolved", older=found.older) if found.older else "",
    }


def _lead(wish: Wish, counts: Counts) -> str:
    if wish.show == "open" and counts.open:
        return ngettext(
            "%(count)d alert that nobody answers for yet.",
            "%(count)d alerts that nobody answers for yet. Failed verifications are first.",
            counts.open,
        ) % {"count": counts.open}
    if wish.show == "acknowledged" and counts.overdue:
        return ngettext(
            "%(count)d of them is overdue.", "%(count)d of them are overdue.", counts.overdue
        ) % {"count": counts.overdue}
    return ""


def tabs(wish: Wish, counts: Counts) -> list[tuple[str, str, bool, int]]:
    words = {
        "open": _("Open"),
        "acknowledged": _("Acknowledged"),
        "resolved": _("Resolved"),
    }
    return [
        (_url(show=status), words[status], status == wish.show, getattr(counts, status))
        for status in words
    ]


def _url(**query: str) -> str:
    return reverse("alerts:page", query=query)
