"""What was said of an exemption that is not any more what it was when it was looked at."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from engine.errors import Conflict, DigestMismatch, Expired, RuleChanged, StepUpNeeded, Stopped
from oversight.pages.exemptions.reads import Standing
from oversight.showing import refusals

_HEADLINES = {
    StepUpNeeded: lambda: _("A second factor is needed first"),
    Stopped: lambda: _("A stop is in force"),
    RuleChanged: lambda: _("Another rule holds for it by now"),
    DigestMismatch: lambda: _("This is not what was shown"),
    Expired: lambda: _("Its end has come"),
}


def page(request: HttpRequest, item: Standing, problem: Conflict) -> HttpResponse:
    """The 409 page, and the way to where it stands now."""
    headline = _HEADLINES.get(type(problem), lambda: _("It has changed since you looked"))()
    detail = _("Nothing of what you said was kept. Its page shows how it stands now.")
    if type(problem) is Conflict:
        detail = f"{refusals.in_words(problem.why)} {detail}"
    context = {
        "headline": headline,
        "detail": detail,
        "next_url": reverse("exemptions:exemption", args=[item.id]),
        "next_label": _("See where it stands now"),
    }
    return render(request, "409.html", context, status=409)
