"""The stop: placing it, its halt receipt, and going on."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from engine import api, states
from engine.errors import BadInput, Conflict, NotPermitted
from oversight.access import STOPPERS, roles_of, speaker
from oversight.pages.stop import page as pages
from oversight.pages.stop import reads
from oversight.pages.stop.forms import LiftForm, PlaceForm
from oversight.pages.stop.reads import Placed
from oversight.reading.keyset import Cursor
from oversight.reading.typed import SaidForm
from oversight.showing.when import absolute


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Whether everything is stopped, what to do about it, and every stop there was."""
    return render(request, "stop/page.html", _context(request))


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """204 while nothing has changed; then where it stands now. Never a form."""
    offered = request.GET.get("offered", "")
    now = pages.shown(offered=offered)
    if now.mark == request.GET.get("seen"):
        return HttpResponse(status=204)
    overtaken = bool(offered) and offered != now.offer
    return render(request, "stop/live.html", {"shown": now, "overtaken": overtaken})


@require_safe
def receipt(request: HttpRequest, stop_id: uuid.UUID) -> HttpResponse:
    """One stop, lifted or not, with its halt receipt."""
    found = reads.stop(stop_id)
    if found is None:
        raise Http404
    context = {"told": pages.told([found])[0], "receipt": pages.read_receipt(stop_id)}
    return render(request, "stop/receipt_page.html", context)


def place(request: HttpRequest) -> HttpResponse:
    """Stop everything, by POST, with a reason."""
    if request.method != "POST":
        return redirect("stop:page")
    form = PlaceForm(request.POST)
    if not form.is_valid():
        return _once_more(request, form)
    said = form.cleaned_data
    try:
        api.stop(
            speaker(request),
            said["reason"],
            scope=said["scope"],
            rollbacks_run=said["rollbacks"] == "run",
        )
    except BadInput as problem:
        form.add_error("name" if problem.path == "$.scope" else None, problem.message)
        return _once_more(request, form)
    except NotPermitted as problem:
        raise PermissionDenied(problem.message) from problem
    except Conflict:
        return _overtaken(request, reads.standing_for(said["scope"]))
    messages.success(request, _stopped(said["scope"]))
    return redirect("stop:page")


def _stopped(scope: str) -> str:
    if scope == states.EVERYTHING:
        return _("Everything is stopped. Nothing new begins.")
    return _("It is stopped: %(scope)s. Nothing new begins there.") % {"scope": scope}


def lift(request: HttpRequest) -> HttpResponse:
    """Let everything go on, by POST, with a reason."""
    if request.method != "POST":
        return redirect("stop:page")
    form = LiftForm(request.POST)
    if not form.is_valid():
        return _once_more(request, form)
    try:
        lifted = _lift(request, form)
    except BadInput as problem:
        form.add_error(None, problem.message)
        return _once_more(request, form)
    except NotPermitted as problem:
        raise PermissionDenied(problem.message) from problem
    except Conflict:
        return _lifted_or_asked(request, reads.stop(form.cleaned_data["stop_id"]))
    messages.success(request, _LIFTED if lifted else _ASKED)
    return redirect("stop:page")


_LIFTED = gettext_lazy("The stop is lifted. What it held up is asked about again.")
_ASKED = gettext_lazy(
    "Noted. Everything stays stopped until another operator or administrator agrees."
)


def _lift(request: HttpRequest, form: LiftForm) -> bool:
    said = form.cleaned_data
    standing = reads.stop(said["stop_id"])
    if standing is None or not standing.in_force:
        raise Conflict("The stop that was shown does not stand any more.")
    return api.go_on(speaker(request), said["reason"], scope=standing.scope, agrees=said["agrees"])


def _lifted_or_asked(request: HttpRequest, standing: Placed | None) -> HttpResponse:
    """The 409 page: it is lifted already; or who asked for that is another than the page showed."""
    if standing is None or not standing.in_force:
        return _overtaken(request, None)
    (told,) = pages.told([standing])
    context = {"next_url": reverse("stop:page"), "next_label": _("See where it stands now")}
    context["headline"] = _("Nothing was lifted, and your word was not kept")
    context["detail"] = _("Nobody else's word stands any more: whoever asked did so too long ago.")
    if told.asked_by and told.agree_until:
        asked = _("%(person)s has asked meanwhile that everything go on: %(reason)s")
        said = {"person": told.asked_by.name, "reason": standing.asked_reason}
        context["detail"] = asked % said
    return render(request, "409.html", context, status=409)


def _overtaken(request: HttpRequest, standing: Placed | None) -> HttpResponse:
    """The 409 page: somebody else placed this one first, or lifted it."""
    context = {"next_url": reverse("stop:page"), "next_label": _("See where it stands now")}
    if standing is None:
        context |= {"headline": _("That stop is lifted already"), "detail": ""}
        return render(request, "409.html", context, status=409)
    (told,) = pages.told([standing])
    context["headline"] = _already(standing)
    context["detail"] = _("%(person)s did it on %(at)s: %(reason)s") % {
        "person": told.placed_by.name,
        "at": absolute(standing.placed_at),
        "reason": standing.reason,
    }
    return render(request, "409.html", context, status=409)


def _already(standing: Placed) -> str:
    if standing.of_everything:
        return _("Everything is stopped already")
    return _("It is stopped already: %(scope)s") % {"scope": standing.scope}


def _once_more(request: HttpRequest, form: SaidForm) -> HttpResponse:
    """The page again, with what is wrong; nothing was changed."""
    return render(request, "stop/page.html", _context(request, form), status=422)


def _context(request: HttpRequest, form: SaidForm | None = None) -> dict[str, Any]:
    may_stop = bool(STOPPERS & roles_of(request))
    now = pages.shown(offered=None if may_stop else "")
    found = reads.history(Cursor.read(request.GET))
    return {
        "agrees": _is_asked_by_another(request, now.told),
        "shown": now,
        "may_stop": may_stop,
        "drill": reads.last_drill(),
        "form": _form(request, now, form) if may_stop else None,
        "narrower": pages.told(reads.narrower_in_force()),
        "history": pages.told(found.rows),
        "newer_url": _url(newer=found.newer) if found.newer else "",
        "older_url": _url(older=found.older) if found.older else "",
    }


def _form(request: HttpRequest, now: pages.Shown, form: SaidForm | None) -> SaidForm:
    """A form for what can be done now; what was typed into one that came back is kept."""
    if now.told is None:
        return form if isinstance(form, PlaceForm) else PlaceForm()
    if isinstance(form, LiftForm):
        return form
    agrees = _is_asked_by_another(request, now.told)
    return LiftForm(initial={"stop_id": now.told.stop.stop_id, "agrees": agrees})


def _is_asked_by_another(request: HttpRequest, told: pages.Told | None) -> bool:
    """Whether all that is missing is that this reader agrees."""
    if told is None or told.agree_until is None:
        return False
    return told.stop.asked_by != speaker(request).actor


def _url(**query: str) -> str:
    return reverse("stop:page", query=query)
