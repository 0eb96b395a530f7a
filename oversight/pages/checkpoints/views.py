"""The search for checkpoints, one of them, the state at any event, and any two compared."""

import uuid

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from engine.errors import Damaged, NotFound
from oversight.pages.checkpoints import forms, reads, sides
from oversight.pages.checkpoints import page as pages
from oversight.pages.checkpoints.download import attachment, large_value
from oversight.pages.checkpoints.forms import Search
from oversight.pages.checkpoints.reads import Stored
from oversight.reading.keyset import Cursor


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Every checkpoint, the newest first; or those that were searched for."""
    search, cursor = Search.read(request.GET), Cursor.read(request.GET)
    understood = search.understood
    context = {
        "search": search,
        "known": pages.known(),
        "listed": pages.listed(search, cursor) if understood else None,
    }
    return render(request, "checkpoints/page.html", context, status=200 if understood else 400)


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """204 while nothing new matches; then a hint of how much does."""
    search, seen = Search.read(request.GET), request.GET.get("seen")
    if not search.understood:
        return HttpResponse(status=204)
    cursor = Cursor.read({"newer": seen}) if seen else Cursor()
    count = reads.news(reads.matching(search.filters, search.wanted), cursor)
    if not count:
        return HttpResponse(status=204)
    hint = {"count": count, "url": pages.url("page", search.asked)}
    return render(request, "parts/news_hint.html", hint)


@require_safe
def checkpoint(request: HttpRequest, checkpoint_id: uuid.UUID) -> HttpResponse:
    """One checkpoint, whole, its checksum computed anew for this page."""
    return render(
        request, "checkpoints/checkpoint.html", {"shown": pages.whole(_found(checkpoint_id))}
    )


@require_safe
def download(request: HttpRequest, checkpoint_id: uuid.UUID) -> HttpResponse:
    """The same as a JSON file."""
    return attachment(_found(checkpoint_id))


@require_safe
def value(request: HttpRequest, digest: str) -> HttpResponse:
    """A value too large to stand in an event or a checkpoint, by its digest, as a JSON file."""
    try:
        return large_value(digest)
    except NotFound as missing:
        raise Http404 from missing
    except Damaged as problem:
        return HttpResponse(problem.message, content_type="text/plain", status=500)


def _found(checkpoint_id: uuid.UUID) -> Stored:
    stored = reads.checkpoint(checkpoint_id)
    if stored is None:
        raise Http404
    return stored


@require_safe
def at(request: HttpRequest) -> HttpResponse:
    """Where a run stood after one event of its log."""
    form = forms.AtForm(request.GET)
    understood = form.is_valid()
    shown = None
    if understood and request.GET:
        shown = pages.at(form.cleaned_data["run"], form.cleaned_data["seq"])
        if shown is None:
            form.add_error("seq", _("No checkpoint of this run leads to such an event."))
    status = 200 if form.is_valid() else 404 if understood else 400
    return render(request, "checkpoints/at.html", {"form": form, "shown": shown}, status=status)


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Any two checkpoints or states, of one run or of two, row by row."""
    form = forms.CompareForm(request.GET)
    understood = form.is_valid()
    shown = None
    if understood and form.is_asked:
        found = {name: sides.side(form.cleaned_data[name]) for name in ("one", "other")}
        for name in (name for name, side in found.items() if side is None):
            form.add_error(name, _("There is no such place."))
        one, other = found["one"], found["other"]
        if one and other:
            shown = pages.compared(one, other, everything="all" in request.GET)
    status = 200 if form.is_valid() else 404 if understood else 400
    context = {"form": form, "shown": shown}
    return render(request, "checkpoints/compare.html", context, status=status)
