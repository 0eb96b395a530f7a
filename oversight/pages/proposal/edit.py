"""A reviewer edits: the form, and where it leads."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine import actions, api
from engine.errors import BadInput, Conflict, NotPermitted
from oversight.access import speaker
from oversight.pages.proposal import conflict, reads, shown
from oversight.pages.proposal.editing import EditForm
from oversight.pages.proposal.proving import proven
from oversight.pages.proposal.reads import Version
from oversight.showing import literal, refusals


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, proposal_id: uuid.UUID, version: int) -> HttpResponse:
    """Other arguments for an open version: by POST they are asked anew, as a version of their own.

    Where nothing can be edited any more, a reader is led to how it stands."""
    item = reads.version(proposal_id, version)
    if item is None:
        raise Http404
    action = actions.find(*item.action)
    if action is None:
        raise PermissionDenied(_("This code no longer has the action, so it cannot be edited."))
    reviewer = speaker(request)
    arguments = literal.read(item.arguments)
    if request.method == "POST":
        form = EditForm(action.Arguments, arguments, request.POST)
        return _posted(request, item, form, reviewer)
    if not item.decidable or api.why_not_edit(reviewer, item.id) is not None:
        return redirect("proposal:version", proposal_id, version)
    fixed = _fixed(item, reviewer)
    return _form(request, item, EditForm(action.Arguments, arguments, initial=fixed))


def _fixed(item: Version, reviewer: api.Reviewer) -> dict[str, str]:
    token = shown.token(item, reviewer.person_id, timezone.now())
    return {"version": str(item.version), "digest": item.digest, "displayed": token}


def _posted(
    request: HttpRequest, item: Version, form: EditForm, reviewer: api.Reviewer
) -> HttpResponse:
    if not form.is_valid():
        return _form(request, item, form, status=422)
    try:
        _say(item, form, reviewer)
    except BadInput as problem:
        form.refuse(problem)
        return _form(request, item, form, status=422)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except Conflict as problem:
        now = reads.version(item.proposal_id, item.version) or item
        return conflict.page(request, now, problem)
    messages.success(request, _("You edited this. It is asked anew, and others decide it."))
    return redirect("proposal:version", item.proposal_id, item.version)


def _say(item: Version, form: EditForm, reviewer: api.Reviewer) -> None:
    said = form.cleaned_data
    seen = proven(item, said, "edit", reviewer)
    api.edit(
        item.run_id,
        item.id,
        reviewer=reviewer,
        version=said["version"],
        digest=said["digest"],
        arguments=form.edited,
        reason=said["reason"],
        seen=seen,
    )


def _form(request: HttpRequest, item: Version, form: EditForm, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {"item": item, "form": form}
    return render(request, "proposal/edit.html", context, status=status)
