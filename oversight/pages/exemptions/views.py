"""Standing exemptions: which there are, one of them, proposing one and ending one."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from engine import api
from engine.errors import BadInput, Conflict, NotPermitted
from oversight.access import ADMINISTRATORS, roles_of, speaker
from oversight.pages.exemptions import conflict, reads, stepping_up
from oversight.pages.exemptions import page as pages
from oversight.pages.exemptions.forms import ApproveForm, EndForm, ProposeForm
from oversight.pages.exemptions.reads import Standing
from oversight.second_factor import for_approval
from oversight.showing import refusals


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Those that stand and those that wait for people; then those that are over."""
    context = {"shown": pages.listed(), "administers": _administers(request)}
    return render(request, "exemptions/page.html", context)


@require_safe
def exemption(request: HttpRequest, exemption_id: uuid.UUID) -> HttpResponse:
    """One: what it lets, who gave it, what it let through, and what can be said of it."""
    return told(request, found(exemption_id))


@require_http_methods(["GET", "HEAD", "POST"])
def propose(request: HttpRequest) -> HttpResponse:
    """Write one, and propose it. It lets nothing through until people have approved it."""
    choices = pages.choices()
    if request.method != "POST":
        return _form(request, ProposeForm(actions=choices))
    form = ProposeForm(request.POST, actions=choices)
    if not form.is_valid_where_typed():
        return _form(request, form, status=422)
    try:
        proposed = api.propose_exemption(
            form.wish, administrator=speaker(request), reason=form.cleaned_data["reason"]
        )
    except BadInput as problem:
        form.complain(problem.path, problem.message)
        return _form(request, form, status=422)
    except (NotPermitted, Conflict) as problem:
        form.add_error(None, refusals.in_words(problem.why))
        return _form(request, form, status=422)
    messages.success(
        request, _("It is proposed. It stands once those who decide have approved it.")
    )
    return redirect("exemptions:exemption", proposed)


def _form(request: HttpRequest, form: ProposeForm, status: int = 200) -> HttpResponse:
    return render(request, "exemptions/propose.html", pages.writing(form), status=status)


def end(request: HttpRequest, exemption_id: uuid.UUID) -> HttpResponse:
    """One word ends it, by POST and with a reason."""
    if request.method != "POST":
        return redirect("exemptions:exemption", exemption_id)
    item, form = found(exemption_id), EndForm(request.POST)
    if not form.is_valid():
        return told(request, item, ending=form)
    try:
        api.end_exemption(exemption_id, person=speaker(request), reason=form.cleaned_data["reason"])
    except BadInput as problem:
        form.add_error(None, problem.message)
        return told(request, item, ending=form)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except Conflict as problem:
        return conflict.page(request, found(exemption_id), problem)
    messages.success(
        request, _("It has ended. What it let through and was not sent, people decide.")
    )
    return redirect("exemptions:exemption", exemption_id)


def told(
    request: HttpRequest,
    item: Standing,
    *,
    approving: ApproveForm | None = None,
    ending: EndForm | None = None,
) -> HttpResponse:
    """Its page; with a form that came back, 422: nothing was changed."""
    shown = pages.one(
        item,
        timezone.now(),
        reader=speaker(request),
        administers=_administers(request),
        asked=for_approval.asked(request, stepping_up.subject(item)),
        approve=approving,
        end=ending,
    )
    status = 422 if approving or ending else 200
    return render(request, "exemptions/exemption.html", {"shown": shown}, status=status)


def found(exemption_id: uuid.UUID) -> Standing:
    item = reads.one(exemption_id)
    if item is None:
        raise Http404
    return item


def _administers(request: HttpRequest) -> bool:
    return bool(ADMINISTRATORS & roles_of(request))
