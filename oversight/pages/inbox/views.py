"""The inbox, and what changes in it while it is looked at."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from oversight.access import person_id, roles_of
from oversight.pages.inbox import forms, reads
from oversight.pages.inbox.listing import DecidedList, count_in_words, tabs


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """To decide, the least time left first; or decided, the latest first."""
    wish = forms.read(request.GET)
    waiting = reads.mark_for(person_id(request))
    place = _decided(wish) if wish.decided else _to_decide(request, waiting)
    return render(request, "inbox/page.html", {**place, "tabs": tabs(wish, waiting.count)})


def _to_decide(request: HttpRequest, waiting: reads.Mark) -> dict[str, Any]:
    rows = reads.waiting_for(person_id(request))
    return {
        "rows": rows,
        "lead": count_in_words(waiting.count, len(rows)),
        "live_url": reverse("inbox:live", query={"seen": str(waiting)}),
        "quiet": None if rows else reads.last_and_next(),
        "may_decide": "reviewer" in roles_of(request),
    }


def _decided(wish: forms.Wish) -> dict[str, Any]:
    return {"lead": _("The latest decision is first."), "decided": DecidedList.read(wish)}


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """204 while nothing has changed; then a hint of what is new, or the decided rows anew."""
    wish = forms.read(request.GET)
    if wish.decided:
        return _decided_anew(request, wish)
    count = reads.news_for(person_id(request), reads.Mark.read(wish.seen))
    if count <= 0:
        return HttpResponse(status=204)
    hint = {"count": count, "url": reverse("inbox:page")}
    return render(request, "parts/news_hint.html", hint)


def _decided_anew(request: HttpRequest, wish: forms.Wish) -> HttpResponse:
    decided = DecidedList.read(wish)
    if decided.mark == wish.seen:
        return HttpResponse(status=204)
    return render(request, "inbox/decided.html", {"decided": decided})
