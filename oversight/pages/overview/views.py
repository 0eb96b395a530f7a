"""The overview, what changes in it while it is looked at, and every open proposal."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from oversight.access import person_id, roles_of, to_sign_in
from oversight.pages.overview import forms
from oversight.pages.overview import page as pages
from oversight.pages.overview.reads import needs
from oversight.reading import worklist


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Reviewers begin with what waits for them, everybody else with the overview."""
    if not request.user.is_authenticated:
        return to_sign_in(request)
    return redirect("inbox:page" if "reviewer" in roles_of(request) else "overview:page")


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    context = {"needs": pages.needed(person_id(request), now), "measured": pages.measured(now)}
    return render(request, "overview/page.html", context)


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """204 while nothing has changed; then what needs a person now."""
    found = pages.needed(person_id(request), timezone.now())
    if found.mark == request.GET.get("seen"):
        return HttpResponse(status=204)
    return render(request, "overview/needs.html", {"needs": found})


@require_safe
def measured(request: HttpRequest) -> HttpResponse:
    """204 while nothing has changed; then the charts anew."""
    found = pages.measured(timezone.now())
    if found.mark == request.GET.get("seen"):
        return HttpResponse(status=204)
    return render(request, "overview/measured.html", {"measured": found})


@require_safe
def proposals(request: HttpRequest) -> HttpResponse:
    """Every open proposal, whoever may decide it: the heaviest risk first."""
    wish, found = forms.read(request.GET), needs.open_proposals()
    listed = needs.waiting(wish.risk, wish.cursor)
    context = {
        "rows": listed.rows,
        "tabs": pages.tabs(found, wish.risk),
        "back_url": pages.url(wish.risk, before=listed.before) if listed.before else "",
        "on_url": pages.url(wish.risk, after=listed.after) if listed.after else "",
        "news_url": _news_url(wish.risk),
    }
    return render(request, "overview/proposals.html", context)


def _news_url(risk: str) -> str:
    query: dict[str, Any] = {"risk": risk} if risk else {}
    mark = worklist.mark(needs.decidable(risk), "opened_at")
    return reverse("overview:news", query={**query, "seen": str(mark)})


@require_safe
def news(request: HttpRequest) -> HttpResponse:
    """204 while nothing has come; then a hint of how many have."""
    wish = forms.read(request.GET)
    seen = worklist.Mark.read(wish.seen)
    count = worklist.news(needs.decidable(wish.risk), "opened_at", seen)
    if count <= 0:
        return HttpResponse(status=204)
    hint = {"count": count, "url": pages.url(wish.risk)}
    return render(request, "parts/news_hint.html", hint)
