"""People: who is here, what they may do, and how administrators change it."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from engine import api
from engine.errors import BadInput, Conflict, NotFound, NotPermitted
from oversight.access import ADMINISTRATORS, AUDITORS, person_id, roles_of, speaker
from oversight.pages.people import page as pages
from oversight.pages.people import reads
from oversight.pages.people.forms import (
    AccountForm,
    GroupsForm,
    PeopleFilter,
    QualifyForm,
    ReasonForm,
    WithdrawForm,
)
from oversight.pages.people.reads import Member
from oversight.showing import refusals


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Everybody, by name, or those who are asked for."""
    form = PeopleFilter(request.GET)
    context: dict[str, Any] = {"form": form, "administers": _administers(request)}
    if not form.is_valid():
        return render(request, "people/page.html", context, status=400)
    found = reads.people(
        form.cleaned_data,
        before=request.GET.get("before", ""),
        after=request.GET.get("after", ""),
    )
    if _administers(request):
        context["invited"] = reads.invitations()
    context |= pages.listing(form.cleaned_data, form.asked, found)
    return render(request, "people/page.html", context)


@require_safe
def person(request: HttpRequest, person_id: int) -> HttpResponse:
    """One person: what they may do, what they did, what they hold."""
    return _person_page(request, _found(person_id))


def change(request: HttpRequest, person_id: int) -> HttpResponse:
    """Other groups, or the account closed or opened again, by POST and with a reason."""
    if request.method != "POST":
        return redirect("people:person", person_id)
    member, do = _found(person_id), request.POST.get("do")
    form = GroupsForm(request.POST) if do == "groups" else AccountForm(request.POST)
    if not form.is_valid():
        return _person_page(request, member, form)
    try:
        told = _change(request, member, form, do)
    except BadInput as problem:
        form.add_error(None, problem.message)
        return _person_page(request, member, form)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except Conflict as problem:
        return _overtaken(request, member, problem)
    messages.success(request, told)
    return redirect("people:person", person_id)


def _change(request: HttpRequest, member: Member, form: AccountForm, do: str | None) -> str:
    seen: api.Standing = form.cleaned_data["seen"]
    wanted, told = _wanted(member, seen, form, do)
    api.change_person(_subject(member), wanted, seen=seen, **_said(request, form))
    return told % {"name": member.name}


def _wanted(
    member: Member, seen: api.Standing, form: AccountForm, do: str | None
) -> tuple[api.Standing, str]:
    """What somebody is to be, and what is said when they are. Raises BadRequest for no button."""
    if isinstance(form, GroupsForm):
        told = _("What %(name)s may do is changed.")
        return api.Standing(active=seen.active, groups=form.groups), told
    if do == "close":
        told = _("The account of %(name)s is closed, and all of their sessions are over.")
        return api.Standing(active=False, groups=seen.groups), told
    if do == "open":
        told = _("The account of %(name)s is open again. They have to sign in anew.")
        return api.Standing(active=True, groups=seen.groups), told
    raise BadRequest("There is no such button.")


def qualify(request: HttpRequest, person_id: int) -> HttpResponse:
    """Grant somebody a qualification, by POST and with a reason."""
    if request.method != "POST":
        return redirect("people:person", person_id)
    member, form = _found(person_id), QualifyForm(request.POST)
    if not form.is_valid():
        return _person_page(request, member, form)
    try:
        api.grant_qualification(_subject(member), form.grant, **_said(request, form))
    except BadInput as problem:
        form.complain(problem.path, problem.message)
        return _person_page(request, member, form)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    messages.success(request, _("%(name)s is qualified.") % {"name": member.name})
    return redirect("people:person", person_id)


def withdraw(request: HttpRequest, person_id: int) -> HttpResponse:
    """Withdraw a qualification of somebody, by POST and with a reason."""
    if request.method != "POST":
        return redirect("people:person", person_id)
    member, form = _found(person_id), WithdrawForm(request.POST)
    if not form.is_valid():
        return _person_page(request, member, form)
    which = form.cleaned_data["qualification"]
    try:
        api.withdraw_qualification(_subject(member), which, **_said(request, form))
    except BadInput as problem:
        form.add_error(None, problem.message)
        return _person_page(request, member, form)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except NotFound as problem:
        raise Http404 from problem
    except Conflict as problem:
        return _overtaken(request, member, problem)
    messages.success(request, _("The qualification is withdrawn, and counts no more."))
    return redirect("people:person", person_id)


def _subject(member: Member) -> api.Reviewer:
    return api.Reviewer(person_id=member.person_id, name=member.name)


def _said(request: HttpRequest, form: ReasonForm) -> dict[str, Any]:
    return {"administrator": speaker(request), "reason": form.cleaned_data["reason"]}


def _overtaken(request: HttpRequest, member: Member, problem: Conflict) -> HttpResponse:
    detail = refusals.in_words(problem.why)
    context = {
        "headline": "",
        "detail": detail,
        "next_url": reverse("people:person", args=[member.person_id]),
        "next_label": _("See where it stands now"),
    }
    return render(request, "409.html", context, status=409)


def _person_page(
    request: HttpRequest, member: Member, form: ReasonForm | None = None
) -> HttpResponse:
    """With a form that came back, 422: nothing was changed."""
    shown = pages.one(
        member,
        timezone.now(),
        reader=person_id(request),
        administers=_administers(request),
        private=bool(AUDITORS & roles_of(request)),
        form=form,
    )
    return render(request, "people/person.html", {"shown": shown}, status=422 if form else 200)


def _found(number: int) -> Member:
    member = reads.person(number) if number < 2**63 else None
    if member is None:
        raise Http404
    return member


def _administers(request: HttpRequest) -> bool:
    return bool(ADMINISTRATORS & roles_of(request))
