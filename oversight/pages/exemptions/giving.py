"""Approving an exemption, and showing a second factor for that. Both are bound to its digest."""

import uuid
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine import api
from engine.errors import BadInput, Conflict, NotPermitted
from oversight.access import speaker
from oversight.pages.exemptions import conflict, stepping_up, views
from oversight.pages.exemptions.forms import ApproveForm
from oversight.pages.exemptions.reads import Standing
from oversight.second_factor import for_approval, sessions
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
    return for_approval.page(
        request,
        stepping_up.subject(item),
        "exemptions/step_up.html",
        {"item": item},
        partial(conflict.page, request, item),
    )
