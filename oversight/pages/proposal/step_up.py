"""Showing a second factor, for one approval of exactly what was displayed. Nothing is decided here:
afterwards the reviewer sees the proposal again."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine import api
from engine.errors import Conflict, NotPermitted
from oversight.access import person, speaker
from oversight.pages.proposal import conflict, reads, stepping_up
from oversight.pages.proposal.forms import StepUpForm
from oversight.pages.proposal.reads import Version
from oversight.second_factor import forms as words
from oversight.second_factor import passkeys, sessions, showing, tries
from oversight.showing import refusals


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, proposal_id: uuid.UUID, version: int) -> HttpResponse:
    """The form; and by POST the factor itself, which then counts for one approval."""
    item = reads.version(proposal_id, version)
    if item is None:
        raise Http404
    if request.method != "POST":
        return _form(request, item, StepUpForm(initial={"digest": item.digest}))
    form = StepUpForm(request.POST)
    try:
        kind = _shown(request, item, form)
        if kind is None:
            return _form(request, item, form, status=422)
        _keep(request, item, form.cleaned_data["digest"], kind)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except Conflict as problem:
        return conflict.page(request, item, problem)
    messages.success(request, _("Your second factor counts for one approval of this, for now."))
    return redirect("proposal:version", proposal_id, version)


def _shown(request: HttpRequest, item: Version, form: StepUpForm) -> str | None:
    if not form.is_valid():
        return None
    try:
        kind = showing.shown(request, person(request), stepping_up.purpose(item), form)
    except tries.TooManyTries:
        form.add_error(None, words.TOO_MANY)
        return None
    if kind is None:
        form.add_error("code", words.NO_MATCH)
    return kind


def _keep(request: HttpRequest, item: Version, digest: str, kind: str) -> None:
    reader = person(request)
    if kind not in sessions.accepted(request, reader):
        raise NotPermitted("this second factor does not count here")
    api.step_up(
        item.id,
        reviewer=speaker(request),
        version=item.version,
        digest=digest,
        factor=kind,
        session=sessions.name(request),
    )
    sessions.has_shown(request)


def _form(request: HttpRequest, item: Version, form: StepUpForm, status: int = 200) -> HttpResponse:
    asked = stepping_up.of(request, item)
    if asked is None or not item.decidable:
        return redirect("proposal:version", item.proposal_id, item.version)
    context: dict[str, Any] = {"item": item, "asked": asked, "form": form}
    if "passkey" in asked.can:
        purpose = stepping_up.purpose(item)
        context["passkey_options"] = passkeys.ask(request, person(request).pk, purpose)
    return render(request, "proposal/step_up.html", context, status=status)
