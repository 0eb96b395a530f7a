"""The list of unknown effects, one of them, and what an operator may do about it."""

import uuid

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
from oversight.pages.unknowns import conflict, forms, listing, reads
from oversight.pages.unknowns import page as pages
from oversight.pages.unknowns.forms import RulingForm
from oversight.pages.unknowns.reads import Doubt
from oversight.reading import worklist


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """What is to be settled, the longest in doubt first; or what was settled."""
    wish = forms.read(request.GET)
    place = listing.settled(wish) if wish.settled else listing.to_settle(wish)
    context = {**place, "settled": wish.settled, "tabs": listing.tabs(wish)}
    return render(request, "unknowns/page.html", context)


@require_safe
def news(request: HttpRequest) -> HttpResponse:
    """204 while nothing has come; then a hint of how many have."""
    seen = worklist.Mark.read(forms.read(request.GET).seen)
    count = worklist.news(reads.unknown(), "first_sent_at", seen)
    if count <= 0:
        return HttpResponse(status=204)
    hint = {"count": count, "url": reverse("unknowns:page")}
    return render(request, "parts/news_hint.html", hint)


@require_safe
def effect(request: HttpRequest, effect_id: uuid.UUID) -> HttpResponse:
    """Everything that is known of one effect, and the ruling."""
    context = pages.assembled(_found(effect_id), None, may_rule=_may_rule(request))
    return render(request, "unknowns/effect.html", context)


@require_safe
def live(request: HttpRequest, effect_id: uuid.UUID) -> HttpResponse:
    """204 while nothing has changed; then what is known now. Never the form."""
    doubt, asked = _found(effect_id), request.GET
    if pages.mark(doubt) == asked.get("seen"):
        return HttpResponse(status=204)
    offered, early = asked.get("offered") == "1", asked.get("early") == "1"
    still_early = early and not doubt.past
    context = {
        "shown": pages.shown(doubt, offered=offered, early=still_early),
        "offered": offered,
        "freed": [each for each in pages.options(doubt, None) if early and not still_early],
    }
    return render(request, "unknowns/live.html", context)


def ask(request: HttpRequest, effect_id: uuid.UUID) -> HttpResponse:
    """Have the target asked once more, by POST. It is only read."""
    if request.method != "POST":
        return redirect("unknowns:effect", effect_id)
    doubt = _found(effect_id)
    try:
        api.probe_again(doubt.run_id, effect_id, operator=speaker(request))
    except NotPermitted as problem:
        raise PermissionDenied(problem.message) from problem
    except Conflict as problem:
        return conflict.page(request, _found(effect_id), problem)
    messages.info(request, _("A worker asks the target. What it finds appears here."))
    return redirect("unknowns:effect", effect_id)


def rule(request: HttpRequest, effect_id: uuid.UUID) -> HttpResponse:
    """One ruling, by POST. Anything unclear about it changes nothing."""
    if request.method != "POST":
        return redirect("unknowns:effect", effect_id)
    doubt, form = _found(effect_id), forms.posted(request.POST)
    if not form.is_valid_where_typed():
        return _once_more(request, doubt, form)
    try:
        _say(request, doubt, form)
    except BadInput as problem:
        form.add_error(None, problem.message)
        return _once_more(request, doubt, form)
    except NotPermitted as problem:
        raise PermissionDenied(problem.message) from problem
    except Conflict as problem:
        return conflict.page(request, _found(effect_id), problem)
    messages.success(request, _("Your ruling is recorded."))
    return redirect("unknowns:effect", effect_id)


def _say(request: HttpRequest, doubt: Doubt, form: RulingForm) -> None:
    if form.cleaned_data["attempt"] != doubt.attempt:
        raise Conflict(_("It was sent again since you looked; look at what is known of that."))
    api.resolve_effect(doubt.run_id, doubt.effect_id, operator=speaker(request), **form.ruling)


def _once_more(request: HttpRequest, doubt: Doubt, form: RulingForm) -> HttpResponse:
    """The page again, with what is wrong; nothing was ruled."""
    context = pages.assembled(doubt, form, may_rule=True)
    return render(request, "unknowns/effect.html", context, status=422)


def _found(effect_id: uuid.UUID) -> Doubt:
    found = reads.doubt(effect_id)
    if found is None:
        raise Http404
    return found


def _may_rule(request: HttpRequest) -> bool:
    return "operator" in roles_of(request)
