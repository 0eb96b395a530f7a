"""Every rollback plan, and everything about one action."""

import uuid

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from oversight.pages.rollbacks import forms, plans, reads
from oversight.pages.rollbacks import page as pages
from oversight.pages.rollbacks.facts import facts


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Every action with its plan; or those with a plan of one kind."""
    listed = pages.listed(forms.read(request.GET))
    return render(request, "rollbacks/page.html", {"listed": listed})


@require_safe
def action(request: HttpRequest, name: str, version: int) -> HttpResponse:
    """One version of an action: what it does, what it needs, and how it is taken back."""
    found = plans.whole(name, version)
    if found is None:
        raise Http404
    context = {"shown": pages.shown(found), "facts": facts(found)}
    return render(request, "rollbacks/action.html", context)


@require_safe
def rehearsal(request: HttpRequest, rehearsal_id: uuid.UUID) -> HttpResponse:
    """One rehearsal: its timeline, and what had to hold."""
    found = reads.rehearsal(rehearsal_id)
    if found is None:
        raise Http404
    entries = pages.entries(found)
    return render(request, "rollbacks/rehearsal.html", {"told": found, "entries": entries})
