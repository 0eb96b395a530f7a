"""The world beside the oversight of it: as it is, and a way to change it unasked."""

from typing import Any

import psycopg
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from oversight.demo import reads
from oversight.demo.elsewhere import elsewhere as look_elsewhere
from oversight.demo.forms import ChangeForm


@require_http_methods(["GET", "HEAD", "POST"])
def world(request: HttpRequest) -> HttpResponse:
    """The ledger. With `seen`: 204 while nothing has changed, and then the changing part anew."""
    try:
        if request.method == "POST":
            return _change(request)
        return _show(request, ChangeForm())
    except psycopg.OperationalError:
        return render(request, "demo/world.html", {"form": ChangeForm()}, status=503)


@require_safe
def elsewhere(request: HttpRequest) -> HttpResponse:
    """The targets beside the ledger; 204 while nothing has changed since `seen`."""
    found = _elsewhere()
    if request.GET.get("seen") == found["elsewhere"].mark:
        return HttpResponse(status=204)
    return render(request, "demo/elsewhere.html", found)


def _elsewhere() -> dict[str, Any]:
    found = look_elsewhere()
    url = reverse("demo:elsewhere", query={"seen": found.mark})
    return {"elsewhere": found, "elsewhere_url": url}


def _show(request: HttpRequest, form: ChangeForm, status: int = 200) -> HttpResponse:
    found, seen = reads.world(), request.GET.get("seen")
    if seen == found.mark:
        return HttpResponse(status=204)
    here = {"world": found, "live_url": reverse("demo:world", query={"seen": found.mark})}
    if seen is not None:
        return render(request, "demo/ledger.html", here)
    whole = {**here, **_elsewhere(), "form": form}
    return render(request, "demo/world.html", whole, status=status)


def _change(request: HttpRequest) -> HttpResponse:
    """Past Placet, as the rest of the world does: this is what preconditions are for."""
    form = ChangeForm(request.POST)
    if form.is_valid():
        try:
            reads.move_desk(form.change)
        except reads.Uncovered:
            form.add_error("amount", _("The desk does not have so much."))
        else:
            messages.success(request, _("The desk's balance has changed. Placet was not asked."))
            return redirect("demo:world")
    return _show(request, form, status=422)
