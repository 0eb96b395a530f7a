"""Approving an exemption, and showing a second factor for that. Both are bound to its digest."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine import api
from engine.errors import BadInput, Conflict, NotPermitted
from oversight.access import person, speaker
from oversight.pages.exemptions import conflict, stepping_up, views
from oversight.pages.exemptions.forms import ApproveForm, StepUpForm
from oversight.pages.exemptions.reads import Standing
from oversight.second_factor import forms as words
from oversight.second_factor import passkeys, sessions, showing, tries
from oversight.showing import refusals


def approve(request: HttpRequest, exemption_id: uuid.UUID) -> HttpResponse:
    """One person's approval, by POST."""
    if request.method != "POST":
        return redirect("exemptions:exemption", exemption_id)
    item, form = views.found(exemption_id), ApproveForm(request.POST)
    if not form.is_valid():
        return views.told(request, item, approving=form)
    try:
        _say(request, item, form.cleaned_data)
    except BadInput as problem:
        form.add_error("challenge" if problem.path == "$.challenge" else None, problem.message)
        return views.told(request, item, approving=form)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except Conflict as problem:
        return conflict.page(request, views.found(exemption_id), problem)
    stands = views.found(exemption_id).status == "standing"
    told = _("It stands now.") if stands else _("Your approval is in; others have to be heard.")
    messages.success(request, told)
    return redirect("exemptions:exemption", exemption_id)


def _say(request: HttpRequest, item: Standing, said: dict[str, Any]) -> None:
    api.approve_exemption(
        item.id,
        reviewer=speaker(request),
        digest=said["digest"],
        reason=said["reason"],
        challenge=said["challenge"] or None,
        session=sessions.name(request),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def step_up(request: HttpRequest, exemption_id: uuid.UUID) -> HttpResponse:
    """The form; and by POST the factor itself, which then counts for one approval."""
    item = views.found(exemption_id)
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
    return redirect("exemptions:exemption", exemption_id)


def _shown(request: HttpRequest, item: Standing, form: StepUpForm) -> str | None:
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


def _keep(request: HttpRequest, item: Standing, digest: str, kind: str) -> None:
    if kind not in sessions.accepted(request, person(request)):
        raise NotPermitted("this second factor does not count here")
    api.step_up_for_exemption(
        item.id,
        reviewer=speaker(request),
        digest=digest,
        factor=kind,
        session=sessions.name(request),
    )
    sessions.has_shown(request)


def _form(
    request: HttpRequest, item: Standing, form: StepUpForm, status: int = 200
) -> HttpResponse:
    asked = stepping_up.of(request, item)
    if asked is None or item.state != "proposed":
        return redirect("exemptions:exemption", item.id)
    context: dict[str, Any] = {"item": item, "asked": asked, "form": form}
    if "passkey" in asked.can:
        purpose = stepping_up.purpose(item)
        context["passkey_options"] = passkeys.ask(request, person(request).pk, purpose)
    return render(request, "exemptions/step_up.html", context, status=status)
