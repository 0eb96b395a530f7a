"""A ruling that was refused: it came too early, or somebody or something had settled it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from engine.errors import PlacetError
from oversight.pages.unknowns import story
from oversight.pages.unknowns.reads import Doubt
from oversight.reading import log
from oversight.showing import words
from oversight.showing.when import absolute

Said = tuple[str, str]


def page(request: HttpRequest, doubt: Doubt, problem: PlacetError) -> HttpResponse:
    """The 409 page: what happened meanwhile, and the way to the current state."""
    headline, detail = _refused(problem) if doubt.unknown else _settled(doubt)
    context = {
        "headline": headline,
        "detail": detail,
        "next_url": reverse("unknowns:effect", args=[doubt.effect_id]),
        "next_label": _("See where it stands now"),
    }
    return render(request, "409.html", context, status=409)


def _refused(problem: PlacetError) -> Said:
    """It is still unknown: what the engine says against this ruling."""
    detail = problem.why.rstrip(".")
    return _("This cannot be ruled now"), f"{detail[:1].upper()}{detail[1:]}."


def _settled(doubt: Doubt) -> Said:
    told = story.of_effect(log.of_kinds(doubt.run_id, "effect_resolved"), doubt.effect_id)
    if not told:
        shown = words.shown("effect", doubt.state)
        return _("This is no longer unknown"), f"{shown.word}: {shown.meaning}"
    said = told[-1].facts
    ruling, _glyph, _tone = story.ruling(said["resolution"])
    headline = _("%(person)s has ruled: %(ruling)s") % {
        "person": said["person_name"],
        "ruling": ruling,
    }
    at = absolute(told[-1].at)
    return headline, _("Ruled on %(at)s. One ruling is enough; yours was not recorded.") % {
        "at": at
    }
