"""The list of alerts, one alert, and what operators say and do about it."""

import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from engine import api
from engine.errors import BadInput, Conflict, NotPermitted
from oversight.access import roles_of, speaker
from oversight.pages.alerts import conflict, forms, listing, reads
from oversight.pages.alerts import page as pages
from oversight.pages.alerts.forms import AcceptForm, AcknowledgeForm, ResolveForm, ResumeForm
from oversight.pages.alerts.reads import Raised
from oversight.reading import worklist
from oversight.reading.typed import SaidForm


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Open, acknowledged or resolved alerts."""
    wish, counts = forms.read(request.GET), reads.counts()
    place = listing.dealt_with(wish) if wish.resolved else listing.to_answer(wish, counts)
    context = {**place, "show": wish.show, "tabs": listing.tabs(wish, counts)}
    return render(request, "alerts/page.html", context)


@require_safe
def news(request: HttpRequest) -> HttpResponse:
    """204 while nothing has come; then a hint of how many have."""
    wish = forms.read(request.GET)
    seen = worklist.Mark.read(wish.seen)
    count = worklist.news(reads.with_status(wish.show), "raised_at", seen)
    if count <= 0:
        return HttpResponse(status=204)
    hint = {"count": count, "url": reverse("alerts:page", query={"show": wish.show})}
    return render(request, "parts/news_hint.html", hint)


@require_safe
def alert(request: HttpRequest, alert_id: uuid.UUID) -> HttpResponse:
    """One alert: what is wrong, what stands, its history, and what can be done."""
    return render(request, "alerts/alert.html", _context(request, _found(alert_id), None))


@require_safe
def live(request: HttpRequest, alert_id: uuid.UUID) -> HttpResponse:
    """204 while nothing has changed; then what is known now. Never a form."""
    found, offered = _found(alert_id), request.GET.get("offered", "")
    if pages.mark(found) == request.GET.get("seen"):
        return HttpResponse(status=204)
    overtaken = bool(offered) and offered != found.status
    context = {"shown": pages.shown(found, offered=offered), "overtaken": overtaken}
    return render(request, "alerts/live.html", context)


def acknowledge(request: HttpRequest, alert_id: uuid.UUID) -> HttpResponse:
    """Take it on, by POST: the cause, the next step, and until when."""

    def say(found: Raised, **said: Any) -> None:
        api.acknowledge_alert(found.run_id, alert_id, operator=speaker(request), **said)

    act = Act(AcknowledgeForm, say, conflict.of_alert, _("You answer for this now."))
    return _done(request, alert_id, act)


def resolve(request: HttpRequest, alert_id: uuid.UUID) -> HttpResponse:
    """Say that it is dealt with, by POST, and how."""

    def say(found: Raised, **said: Any) -> None:
        api.resolve_alert(found.run_id, alert_id, operator=speaker(request), **said)

    told = _("It is dealt with, and stays in the history.")
    return _done(request, alert_id, Act(ResolveForm, say, conflict.of_alert, told))


def resume(request: HttpRequest, alert_id: uuid.UUID) -> HttpResponse:
    """Let the paused run go on, by POST, with a reason."""

    def say(found: Raised, **said: Any) -> None:
        api.resume_run(found.run_id, reviewer=speaker(request), **said)

    told = _("The run goes on as soon as a worker is free.")
    return _done(request, alert_id, Act(ResumeForm, say, conflict.of_run, told))


def accept(request: HttpRequest, alert_id: uuid.UUID) -> HttpResponse:
    """Accept the effect as it is, by POST, in one's own name and with evidence."""

    def say(found: Raised, **said: Any) -> None:
        if found.effect_id is None:
            raise Conflict("This alert is about no effect.")
        api.accept_effect(found.run_id, found.effect_id, operator=speaker(request), **said)

    told = _("You have accepted it. The run goes on as soon as a worker is free.")
    return _done(request, alert_id, Act(AcceptForm, say, conflict.of_run, told))


class Act(NamedTuple):
    """What an operator does: its form, its verb, the page of its refusal, and what is said."""

    form: type[SaidForm]
    say: Callable[..., None]
    refused: Callable[[HttpRequest, Raised], HttpResponse]
    told: str


def _done(request: HttpRequest, alert_id: uuid.UUID, act: Act) -> HttpResponse:
    if request.method != "POST":
        return redirect("alerts:alert", alert_id)
    found, form = _found(alert_id), act.form(request.POST)
    if not form.is_valid_where_typed():
        return _once_more(request, found, form)
    try:
        act.say(found, **form.cleaned_data)
    except BadInput as problem:
        form.add_error(None, problem.message)
        return _once_more(request, found, form)
    except NotPermitted as problem:
        raise PermissionDenied(problem.message) from problem
    except Conflict:
        return act.refused(request, _found(alert_id))
    messages.success(request, act.told)
    return redirect("alerts:alert", alert_id)


def _once_more(request: HttpRequest, found: Raised, form: SaidForm) -> HttpResponse:
    """The page again, with what is wrong; nothing was changed."""
    return render(request, "alerts/alert.html", _context(request, found, form), status=422)


def _context(request: HttpRequest, found: Raised, form: SaidForm | None) -> dict[str, object]:
    may_act = "operator" in roles_of(request)
    return pages.assembled(found, form, may_act=may_act)


def _found(alert_id: uuid.UUID) -> Raised:
    found = reads.alert(alert_id)
    if found is None:
        raise Http404
    return found
