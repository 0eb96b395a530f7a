"""The list of runs, one run, and what changes in it while it is looked at."""

import uuid

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from oversight.access import person_id
from oversight.pages.runs import control, forms, reads
from oversight.pages.runs import page as pages
from oversight.pages.runs.forms import ListWish
from oversight.pages.runs.reads import Whole
from oversight.reading import actors
from oversight.showing import words


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Every run, the newest first; or those under way, paused or ended."""
    wish = forms.read_list(request.GET)
    found = reads.runs(
        wish.statuses, wish.reason, wish.cursor, of_installation=wish.of_installation
    )
    names = actors.names([row.initiator for row in found.rows])
    context = {
        "rows": [(row, actors.actor(row.initiator, names)) for row in found.rows],
        "show": wish.show,
        "tabs": _tabs(wish),
        "reasons": _reasons(wish) if wish.show == forms.PAUSED else [],
        "newer_url": _url(wish.show, wish.reason, newer=found.newer) if found.newer else "",
        "older_url": _url(wish.show, wish.reason, older=found.older) if found.older else "",
    }
    return render(request, "runs/page.html", context)


def _tabs(wish: ListWish) -> list[tuple[str, str, bool, None]]:
    labels = {
        "all": _("All"),
        "under-way": _("Under way"),
        "paused": _("Paused"),
        "ended": _("Ended"),
        forms.INSTALLATION: _("Installation"),
    }
    return [(_url(name), labels[name], name == wish.show, None) for name in forms.PLACES]


def _reasons(wish: ListWish) -> list[tuple[str, Promise | str, bool, int]]:
    """The reasons for which runs are paused now, and the one that is asked for in any case."""
    counts = reads.paused_by_reason()
    every = (_url(wish.show), _("Any reason"), not wish.reason, sum(counts.values()))
    counts = {wish.reason: 0, **counts} if wish.reason else counts
    return [every, *(_reason(wish, *each) for each in counts.items())]


def _reason(wish: ListWish, reason: str, count: int) -> tuple[str, Promise | str, bool, int]:
    word = words.shown("pause", reason).word
    return _url(wish.show, reason), word, reason == wish.reason, count


def _url(show: str, reason: str = "", **place: str) -> str:
    narrowed = {"reason": reason} if reason else {}
    return reverse("runs:page", query={"show": show, **narrowed, **place})


@require_safe
def run(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """One run: where it stands, its effects, and its timeline or its raw log."""
    wish, found = forms.read_run(request.GET), _found(run_id)
    context = control.shown(request, found, wish)
    return render(request, "runs/run.html", context)


@require_safe
def live(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """204 while nothing has changed; then the same part of the page anew."""
    wish, found = forms.read_run(request.GET), _found(run_id)
    if pages.mark(found) == wish.seen:
        return HttpResponse(status=204)
    shown = pages.assembled(found, wish, person_id(request))
    return render(request, "runs/live.html", {"shown": shown})


def _found(run_id: uuid.UUID) -> Whole:
    found = reads.run(run_id)
    if found is None:
        raise Http404
    return found
