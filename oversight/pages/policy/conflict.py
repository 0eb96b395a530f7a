"""What was said of a version that somebody else has answered, or that nobody could meet."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from engine.errors import Conflict, NobodyCouldDecide
from oversight.pages.policy import reads
from oversight.pages.policy.reads import Version
from oversight.showing.when import absolute

Said = tuple[str, str]


def page(request: HttpRequest, item: Version, problem: Conflict) -> HttpResponse:
    """The 409 page, and the way to where it stands now."""
    headline, detail = _words(item, problem)
    context = {
        "headline": headline,
        "detail": detail,
        "next_url": reverse("policy:version", args=[item.number]),
        "next_label": _("See where it stands now"),
    }
    return render(request, "409.html", context, status=409)


def _words(item: Version, problem: Conflict) -> Said:
    number = {"number": item.number}
    if isinstance(problem, NobodyCouldDecide):
        return _("Nobody could meet one of its rules"), _(
            "Too few people are in the groups that it names, or qualified as it demands. "
            "Its page says which."
        )
    if item.status == "dropped" and item.ended_at:
        headline = _("Version %(number)d is dropped already") % number
        return headline, _by(item.ended_by, absolute(item.ended_at))
    if item.in_force_at:
        headline = _("Version %(number)d was put in force already") % number
        return headline, _by(item.in_force_by, absolute(item.in_force_at))
    standing = reads.in_force()
    words = _("Version %(number)d is in force by now: another one than you compared it with.")
    return _("What it would change has changed"), (
        words % {"number": standing.number} if standing else ""
    )


def _by(person: str, at: str) -> str:
    return _("%(person)s did it on %(at)s.") % {"person": person, "at": at}
