"""The policy: what holds, what is proposed, what was; and the two people whom a change takes."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from engine import api
from engine.errors import BadInput, Conflict, NotPermitted
from oversight.access import ADMINISTRATORS, person_id, roles_of, speaker
from oversight.pages.policy import conflict, draft, reads, replayed
from oversight.pages.policy import page as pages
from oversight.pages.policy.draft import Draft
from oversight.pages.policy.forms import AnswerForm, ReasonForm
from oversight.pages.policy.reads import Version
from oversight.showing import refusals


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The policy in force in words, what is proposed, and every version there was."""
    context = {"shown": pages.shown(below=_below(request)), "administers": _administers(request)}
    return render(request, "policy/page.html", context)


def _below(request: HttpRequest) -> int | None:
    place = request.GET.get("below")
    if place is None:
        return None
    if not (place.isascii() and place.isdigit() and len(place) < 10):
        raise BadRequest("This is no place in the list.")
    return int(place)


@require_safe
def version(request: HttpRequest, version: int) -> HttpResponse:
    """One version: its rules, what they change, and what can be said of it."""
    return _version_page(request, _found(version))


@require_safe
def replay(request: HttpRequest, version: int) -> HttpResponse:
    """What was decided of late, under the rules of one version."""
    item = _found(version)
    context = {"version": item, "replay": replayed.of(item.rules)}
    return render(request, "policy/replay.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def propose(request: HttpRequest) -> HttpResponse:
    """Write rules, look at what differs, and propose them: each step is a POST of the whole."""
    standing = reads.in_force()
    groups = _groups(standing)
    if request.method != "POST":
        return _form(request, draft.of(standing.rules if standing else (), groups), standing)
    do, written = request.POST.get("do", ""), draft.posted(request.POST, groups)
    if do not in ("preview", "propose"):
        edited = draft.edited(request.POST, groups, do)
        return _form(request, edited, standing, status=200 if edited.forms else 422)
    rules = written.checked()
    if rules is None:
        return _form(request, written, standing, status=422)
    form = ReasonForm(request.POST) if do == "propose" else ReasonForm()
    return _preview_or_propose(request, pages.preview(written, rules, standing, form), rules)


def _groups(standing: Version | None) -> tuple[str, ...]:
    """The groups that there are, and those that a rule in force names though they are gone: so
    nobody takes another one for them."""
    named = (
        {quota["name"] for each in standing.rules for quota in each["groups"]} if standing else {}
    )
    return tuple(sorted({*reads.members(), *named}))


def _form(
    request: HttpRequest, rules: Draft, standing: Version | None, status: int = 200
) -> HttpResponse:
    context = pages.writing(rules, standing)
    return render(request, "policy/write.html", context, status=status)


def _preview_or_propose(
    request: HttpRequest, context: dict[str, Any], rules: pages.Rules
) -> HttpResponse:
    form: ReasonForm = context["form"]
    if not form.is_bound:
        return render(request, "policy/preview.html", context)
    if _overtaken(request, context["standing"]):
        form.add_error(None, _("Another version is in force by now. Look at what differs again."))
        return render(request, "policy/preview.html", context, status=409)
    if not form.is_valid():
        return render(request, "policy/preview.html", context, status=422)
    try:
        number = api.propose_policy(
            rules, administrator=speaker(request), reason=form.cleaned_data["reason"]
        )
    except BadInput as problem:
        form.add_error(None, problem.message)
        return render(request, "policy/preview.html", context, status=422)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    words = _("Version %(number)d is proposed. It holds once somebody else puts it in force.")
    messages.success(request, words % {"number": number})
    return redirect("policy:version", number)


def _overtaken(request: HttpRequest, standing: Version | None) -> bool:
    return request.POST.get("compared", "") != str(standing.number if standing else 0)


def answer(request: HttpRequest, version: int) -> HttpResponse:
    """Put a proposed version in force, or drop it, by POST and with a reason."""
    if request.method != "POST":
        return redirect("policy:version", version)
    item, form = _found(version), AnswerForm(request.POST)
    if not form.is_valid():
        return _version_page(request, item, form)
    try:
        told = _say(request, item, form)
    except BadInput as problem:
        form.add_error(None, problem.message)
        return _version_page(request, item, form)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except Conflict as problem:
        return conflict.page(request, _found(version), problem)
    messages.success(request, told)
    return redirect("policy:page")


def _say(request: HttpRequest, item: Version, form: AnswerForm) -> str:
    said, administrator = form.cleaned_data, speaker(request)
    number = {"number": item.number}
    if said["do"] == "drop":
        api.drop_policy(item.number, administrator=administrator, reason=said["reason"])
        return _("Version %(number)d is dropped. Nothing has changed.") % number
    api.put_policy_in_force(
        item.number,
        administrator=administrator,
        reason=said["reason"],
        instead_of=said["instead_of"] or None,
    )
    return _("Version %(number)d is in force.") % number


def _version_page(
    request: HttpRequest, item: Version, form: AnswerForm | None = None
) -> HttpResponse:
    """With a form that came back, 422: nothing was changed."""
    shown = pages.one(
        item,
        timezone.now(),
        reader=person_id(request),
        administers=_administers(request),
        form=form,
    )
    status = 422 if form else 200
    return render(request, "policy/version.html", {"shown": shown}, status=status)


def _found(number: int) -> Version:
    item = reads.version(number)
    if item is None:
        raise Http404
    return item


def _administers(request: HttpRequest) -> bool:
    return bool(ADMINISTRATORS & roles_of(request))
