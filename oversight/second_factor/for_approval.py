"""A second factor for one approval of exactly what was displayed, whatever that is.

What a rule asks for, whether it was shown, and the page on which it is. Nothing is decided there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _

from engine import states
from engine.errors import Conflict, NotPermitted
from engine.models import StepUp
from oversight.access import person, speaker
from oversight.second_factor import factors, passkeys, sessions, showing, tries
from oversight.second_factor import forms as words
from oversight.second_factor.forms import ApprovalForm
from oversight.showing import refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is to be approved, while it `is_open`.

    `about` is how a proof names it; `purpose` is what a passkey is asked for; `keep` has the proof
    kept; `back` is the address at which it is approved.
    """

    is_open: bool
    demand: str
    digest: str
    about: Mapping[str, object]
    purpose: str
    keep: Callable[..., None]
    back: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a rule asks of who approves. `can` are the kinds of factor of this person that would do
    in this session; `until` is how long one that they have shown counts, and `kind` which it was.
    """

    demand: str
    can: tuple[str, ...]
    until: datetime | None = None
    kind: str = ""


Conflicted = Callable[[Conflict], HttpResponse]


def asked(request: HttpRequest, subject: Subject) -> Asked | None:
    """None where the rule asks for nothing."""
    if subject.demand == "none":
        return None
    reader = person(request)
    counts = set(states.STEP_UPS[subject.demand]) & set(sessions.accepted(request, reader))
    can = tuple(sorted(counts & factors.kinds(reader.pk)))
    held = (
        StepUp.objects.filter(person=reader, digest=subject.digest, **subject.about)
        .filter(session=sessions.name(request), used_at=None, expires_at__gt=Now())
        .filter(factor__in=can)
        .order_by("-made_at")
        .first()
    )
    if held is None:
        return Asked(demand=subject.demand, can=can)
    return Asked(demand=subject.demand, can=can, until=held.expires_at, kind=held.factor)


def page(
    request: HttpRequest,
    subject: Subject,
    template: str,
    context: Mapping[str, Any],
    conflicted: Conflicted,
) -> HttpResponse:
    """The form; and by POST the factor itself, which then counts for one approval."""
    if request.method != "POST":
        form = ApprovalForm(initial={"digest": subject.digest})
        return _form(request, subject, form, template, context)
    form = ApprovalForm(request.POST)
    try:
        kind = _shown(request, subject, form)
        if kind is None:
            return _form(request, subject, form, template, context, status=422)
        _keep(request, subject, form.cleaned_data["digest"], kind)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    except Conflict as problem:
        return conflicted(problem)
    messages.success(request, _("Your second factor counts for one approval of this, for now."))
    return HttpResponseRedirect(subject.back)


def _shown(request: HttpRequest, subject: Subject, form: ApprovalForm) -> str | None:
    if not form.is_valid():
        return None
    try:
        kind = showing.shown(request, person(request), subject.purpose, form)
    except tries.TooManyTries:
        form.add_error(None, words.TOO_MANY)
        return None
    if kind is None:
        form.add_error("code", words.NO_MATCH)
    return kind


def _keep(request: HttpRequest, subject: Subject, digest: str, kind: str) -> None:
    """Under the digest of the form: what was displayed is what the factor was shown for."""
    if kind not in sessions.accepted(request, person(request)):
        raise NotPermitted("this second factor does not count here")
    subject.keep(
        reviewer=speaker(request), digest=digest, factor=kind, session=sessions.name(request)
    )
    sessions.has_shown(request)


def _form(
    request: HttpRequest,
    subject: Subject,
    form: ApprovalForm,
    template: str,
    context: Mapping[str, Any],
    status: int = 200,
) -> HttpResponse:
    found = asked(request, subject)
    if found is None or not subject.is_open:
        return HttpResponseRedirect(subject.back)
    told = {**context, "asked": found, "form": form, "back": subject.back}
    if "passkey" in found.can:
        told["passkey_options"] = passkeys.ask(request, person(request).pk, subject.purpose)
    return render(request, template, told, status=status)
