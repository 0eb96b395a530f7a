"""A proposal, its live part, and the one place where a person decides."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from engine import api
from engine.errors import BadInput, ChallengeFailed, Conflict, NotFound, NotPermitted
from oversight.access import AUDITORS, person_id, roles_of, speaker
from oversight.pages.proposal import (
    claiming,
    conflict,
    forms,
    premises,
    reads,
    standing,
    stepping_up,
)
from oversight.pages.proposal import page as pages
from oversight.pages.proposal import (
    seen as seen_,
)
from oversight.pages.proposal.forms import DecisionForm, TakeBackForm
from oversight.pages.proposal.proving import proven
from oversight.pages.proposal.reads import Version
from oversight.second_factor import for_approval, sessions
from oversight.showing import refusals


@require_safe
def newest(request: HttpRequest, proposal_id: uuid.UUID) -> HttpResponse:
    """On to the newest version: a decision is always about one version."""
    number = reads.newest(proposal_id)
    if number is None:
        raise Http404
    return redirect("proposal:version", proposal_id, number)


@require_safe
def page(request: HttpRequest, proposal_id: uuid.UUID, version: int) -> HttpResponse:
    """One version, whole. Older ones are history and can only be read."""
    item = _found(proposal_id, version)
    context = _assembled(request, item)
    context["audits"] = bool(roles_of(request) & AUDITORS)
    return render(request, "proposal/page.html", context)


@require_safe
def live(request: HttpRequest, proposal_id: uuid.UUID, version: int) -> HttpResponse:
    """204 while nothing has changed; then where it stands now. Never the decision form."""
    item = _found(proposal_id, version)
    if standing.mark(item) == request.GET.get("seen"):
        return HttpResponse(status=204)
    stands = standing.of(item, was_open=request.GET.get("open") == "1")
    claim = claiming.of(item, person_id(request), may=False)
    context = {"standing": stands, "claim": claim, "look": premises.last(item)}
    return render(request, "proposal/live.html", context)


def decide(request: HttpRequest, proposal_id: uuid.UUID, version: int) -> HttpResponse:
    """One decision, by POST. Anything unclear about it changes nothing."""
    if request.method != "POST":
        return redirect("proposal:version", proposal_id, version)
    item, form = _found(proposal_id, version), forms.posted(request.POST)
    if not form.is_valid():
        return _once_more(request, item, form)
    try:
        _say(item, form, speaker(request), sessions.name(request))
    except ChallengeFailed:
        form.add_error("challenge", _("This is not the value above. Nothing was approved."))
        return _once_more(request, item, form)
    except BadInput as problem:
        form.add_error(None, problem.message)
        return _once_more(request, item, form)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except Conflict as problem:
        return conflict.page(request, _found(proposal_id, version), problem)
    now = _found(proposal_id, version)
    messages.success(request, _recorded(now, form.cleaned_data["decision"]))
    return redirect("proposal:version", proposal_id, version)


def take_back(request: HttpRequest, proposal_id: uuid.UUID, version: int) -> HttpResponse:
    """Take one's own approval back, by POST, as long as nothing was sent under it."""
    if request.method != "POST":
        return redirect("proposal:version", proposal_id, version)
    item, form = _found(proposal_id, version), TakeBackForm(request.POST)
    if not form.is_valid():
        return _once_more(request, item, form)
    try:
        reason, reviewer = form.cleaned_data["reason"], speaker(request)
        api.take_back_approval(item.run_id, item.id, reviewer=reviewer, reason=reason)
    except BadInput as problem:
        form.add_error("reason", problem.message)
        return _once_more(request, item, form)
    except NotFound as problem:
        raise PermissionDenied(_("There is no approval of yours here.")) from problem
    except Conflict as problem:
        return conflict.page(request, _found(proposal_id, version), problem)
    messages.success(request, _("You took your approval back. It is asked anew."))
    return redirect("proposal:version", proposal_id, version)


def claim(request: HttpRequest, proposal_id: uuid.UUID, version: int) -> HttpResponse:
    """Claim, renew, let go or take over, by POST; nothing is decided by it."""
    if request.method != "POST":
        return redirect("proposal:version", proposal_id, version)
    item, form = _found(proposal_id, version), claiming.ClaimForm(request.POST)
    if not form.is_valid():
        raise BadRequest("This is nothing that can be done with a claim.")
    try:
        claiming.say(item, form, speaker(request))
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except Conflict as problem:
        return conflict.page(request, _found(proposal_id, version), problem)
    messages.success(request, _claimed(form.cleaned_data["do"]))
    if form.cleaned_data["back"]:
        return redirect("inbox:page")
    return redirect("proposal:version", proposal_id, version)


def _claimed(done: str) -> str:
    return {
        "claim": _("You have claimed this. The others see it; they may still decide."),
        "release": _("You let go of your claim."),
        "take_over": _("You took the claim over. Who had it is told."),
    }[done]


def _found(proposal_id: uuid.UUID, version: int) -> Version:
    item = reads.version(proposal_id, version)
    if item is None:
        raise Http404
    return item


def _say(item: Version, form: DecisionForm, reviewer: api.Reviewer, session: str) -> None:
    said = form.cleaned_data
    seen = proven(item, said, said["decision"], reviewer)
    if said["version"] != item.version:
        raise Conflict("The form was for another version.")
    api.decide(
        item.run_id,
        item.id,
        reviewer=reviewer,
        proposal_id=item.proposal_id,
        version=said["version"],
        digest=said["digest"],
        decision=said["decision"],
        reason=said["reason"],
        reason_code=said["reason_code"] or None,
        question=form.question,
        challenge=said["challenge"] or None,
        session=session,
        seen=seen_.kept(item, {**seen, "opened": said["opened"]}),
    )


def _assembled(request: HttpRequest, item: Version, form: pages.Typed = None) -> dict[str, Any]:
    asked = for_approval.asked(request, stepping_up.subject(item))
    return pages.assembled(item, speaker(request), form, step_up=asked)


def _once_more(request: HttpRequest, item: Version, form: pages.Typed) -> HttpResponse:
    """The page again, with what is wrong; nothing was decided."""
    context = _assembled(request, item, form)
    return render(request, "proposal/page.html", context, status=422)


def _recorded(item: Version, decision: str) -> str:
    if item.decidable:
        return _("Your word is in. Others have to be heard before anything comes of it.")
    return {
        "approve": _("You approved this. It is carried out now; you can watch it here."),
        "reject": _("You rejected this. Nothing of it will be done."),
        "return": _("You returned this. The agent is sent your question."),
    }[decision]
