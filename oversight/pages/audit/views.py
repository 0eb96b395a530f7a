"""The event search, one event in full, the verification of the log, and its exports."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from engine import api
from engine.errors import NotPermitted
from oversight.access import AUDITORS, person_id, roles_of, speaker
from oversight.pages.audit import exporting, forms, reads, verifying
from oversight.pages.audit import page as pages
from oversight.pages.audit.event import assembled, hidden
from oversight.pages.audit.places import Cursor, Place


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Every event, the newest first; or those that were searched for."""
    form, cursor = pages.filter_of(request.GET), Cursor.read(request.GET)
    understood = form.is_valid()
    run_id = form.cleaned_data["run"] if understood else None
    context = {
        "form": form,
        "listed": pages.listed(form, cursor) if understood else None,
        "known_actors": (reads.people(), reads.agents()),
        "run_id": run_id,
        "verified": pages.last_verified(run_id),
        "may_act": _may_act(request),
        "tabs": pages.tabs("page"),
    }
    return render(request, "audit/page.html", context, status=200 if understood else 400)


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """204 while nothing new matches; then a hint of how much does."""
    form = pages.filter_of(request.GET)
    if not form.is_valid():
        return HttpResponse(status=204)
    seen = request.GET.get("seen")
    count = reads.news(form.as_query(), Place.read(seen) if seen else None)
    if not count:
        return HttpResponse(status=204)
    hint = {"count": count, "url": reverse("audit:page", query=form.asked)}
    return render(request, "parts/news_hint.html", hint)


@require_safe
def event(request: HttpRequest, run_id: uuid.UUID, seq: int) -> HttpResponse:
    """One event in full, its hashes re-computed for this page."""
    stored = reads.stored(run_id, seq)
    if stored is None:
        raise Http404
    if hidden(stored, person_id(request)):
        raise PermissionDenied(_("You see this decision after your own word on the proposal."))
    return render(request, "audit/event.html", {"shown": assembled(stored)})


def verify(request: HttpRequest) -> HttpResponse:
    """Re-compute the log, by POST; what was found is an event that the page then shows."""
    if request.method != "POST":
        return redirect("audit:page")
    forms.must_ask_for("verify", request.POST)
    run_id = verifying.ordered(request.POST)
    if verifying.too_much(run_id):
        messages.warning(request, verifying.TOO_MUCH)
    else:
        with _permitted():
            verifying.tell(request, api.verify_log(run_id, auditor=speaker(request)))
    return redirect(reverse("audit:page", query={"run": str(run_id)} if run_id else {}))


def export(request: HttpRequest) -> HttpResponseBase:
    """An export of what was searched for, by POST; it is an event, too."""
    if request.method != "POST":
        return redirect("audit:exports")
    forms.must_ask_for("export", request.POST)
    form = pages.filter_of(request.POST, forms.ExportOrder)
    if not form.is_valid():
        return _exports(request, form, status=400)
    refusal = exporting.why_not(form.as_query())
    if refusal:
        form.add_error(None, refusal)
        return _exports(request, form, status=409)
    with _permitted():
        return exporting.download(form.as_query(), speaker(request))


@require_safe
def exports(request: HttpRequest) -> HttpResponse:
    """Which exports were made, and how to verify one without us."""
    return _exports(request, None)


def _exports(
    request: HttpRequest, form: forms.EventFilter | None, *, status: int = 200
) -> HttpResponse:
    made = pages.exports()
    context = {
        "form": form,
        "made": made,
        "commands": pages.COMMANDS,
        "live_url": pages.exports_url(made),
        "may_act": _may_act(request),
        "tabs": pages.tabs("exports"),
    }
    return render(request, "audit/exports.html", context, status=status)


@require_safe
def exports_live(request: HttpRequest) -> HttpResponse:
    """204 while no export was made; then the history anew."""
    made = pages.exports()
    if pages.mark(made) == request.GET.get("seen"):
        return HttpResponse(status=204)
    context = {"made": made, "live_url": pages.exports_url(made)}
    return render(request, "audit/made.html", context)


@contextmanager
def _permitted() -> Iterator[None]:
    """The engine asks once more than the route did: roles may have changed since."""
    try:
        yield
    except NotPermitted as problem:
        raise PermissionDenied(problem.message) from problem


def _may_act(request: HttpRequest) -> bool:
    return bool(AUDITORS & roles_of(request))
