"""The inbox, and what changes in it while it is looked at."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from engine.errors import DigestMismatch
from oversight.access import person_id, roles_of, speaker
from oversight.pages.inbox import forms, listing, reads, rejecting
from oversight.pages.inbox.listing import DecidedList, OpenList
from oversight.pages.inbox.rejecting import ReasonForm
from oversight.reading import exempted


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """One place of the inbox, narrowed as the address says; 400 where that is not understood."""
    wish, me = forms.read(request.GET), person_id(request)
    understood = wish.narrowing.is_valid()
    place = _place(request, wish) if understood else {}
    waiting, claimed = reads.to_decide(me).count(), reads.claimed(me).count()
    context = {
        **place,
        "wish": wish,
        "chips": listing.chips(wish) if understood else [],
        "tabs": listing.tabs(wish, waiting, claimed),
        "lost": reads.lost(me),
        "to_exempt": 0 if wish.decided else exempted.waiting_for(speaker(request)),
    }
    return render(request, "inbox/page.html", context, status=200 if understood else 400)


def _place(request: HttpRequest, wish: forms.Wish) -> dict[str, Any]:
    if wish.decided:
        decided = DecidedList.read(wish, person_id(request))
        return {"lead": _("The latest decision is first."), "decided": decided}
    found = OpenList.read(wish, person_id(request))
    return {
        "open": found,
        "lead": listing.lead(wish, found.seen.count),
        "quiet": None if found.page.rows else reads.last_and_next(),
        "may_decide": "reviewer" in roles_of(request),
    }


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """204 while nothing has changed; then a hint of what is new, or the decided rows anew."""
    wish = forms.read(request.GET)
    if not wish.narrowing.is_valid():
        return HttpResponse(status=204)
    if wish.decided:
        return _decided_anew(request, wish)
    count = listing.news(wish, person_id(request))
    if count <= 0:
        return HttpResponse(status=204)
    hint = {"count": count, "url": listing.address(wish)}
    return render(request, "parts/news_hint.html", hint)


def _decided_anew(request: HttpRequest, wish: forms.Wish) -> HttpResponse:
    decided = DecidedList.read(wish, person_id(request))
    if decided.mark == wish.seen:
        return HttpResponse(status=204)
    return render(request, "inbox/decided.html", {"decided": decided})


def choose(request: HttpRequest) -> HttpResponse:
    """What was chosen in the list, shown once more with its digests. Nothing is decided yet."""
    if request.method != "POST":
        return redirect("inbox:page")
    items = rejecting.chosen(request.POST, person_id(request))
    if not items:
        messages.warning(request, _("Nothing was chosen that you may decide."))
        return redirect("inbox:page")
    form = ReasonForm(initial={"chosen": rejecting.token(items, person_id(request))})
    return render(request, "inbox/rejecting.html", {"items": items, "form": form})


def reject(request: HttpRequest) -> HttpResponse:
    """Each of those that were shown is rejected by itself; the answer says what became of each."""
    if request.method != "POST":
        return redirect("inbox:page")
    form, me = ReasonForm(request.POST), person_id(request)
    if "chosen" not in request.POST:
        raise BadRequest("Nothing was chosen.")
    try:
        items = rejecting.opened(request.POST["chosen"], me)
    except DigestMismatch as problem:
        raise BadRequest(problem.message) from problem
    if not form.is_valid():
        return render(request, "inbox/rejecting.html", {"items": items, "form": form}, status=422)
    reviewer = speaker(request)
    answers = [rejecting.reject(item, form, reviewer) for item in items]
    done = sum(answer.done for answer in answers)
    return render(request, "inbox/rejected.html", {"answers": answers, "done": done})
