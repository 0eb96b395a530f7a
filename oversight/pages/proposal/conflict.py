"""A decision that came too late: what happened meanwhile, and where it stands now."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _

from engine.errors import (
    AlreadyDecided,
    Claimed,
    DigestMismatch,
    Expired,
    NotRehearsed,
    PlacetError,
    RuleChanged,
    StepUpNeeded,
    Stopped,
)
from oversight.pages.proposal import reads
from oversight.pages.proposal.pieces import changes
from oversight.pages.proposal.reads import Version
from oversight.showing import words
from oversight.showing.when import when

Said = tuple[str, str]


def page(request: HttpRequest, item: Version, problem: PlacetError) -> HttpResponse:
    """The 409 page: who decided and when, or what changed, and the way to the current state."""
    newest = reads.newest(item.proposal_id) or item.version
    headline, detail = _words(item, newest, problem)
    context = {
        "headline": headline,
        "detail": detail,
        "changes": _changes(item, newest),
        "next_url": reverse("proposal:version", args=[item.proposal_id, newest]),
        "next_label": _("See where it stands now"),
    }
    return render(request, "proposal/conflict.html", context, status=409)


def _words(item: Version, newest: int, problem: PlacetError) -> Said:
    if isinstance(problem, AlreadyDecided):
        return _decided(problem.facts)
    if isinstance(problem, Claimed):
        words_ = _("%(person)s has claimed this meanwhile") % {"person": problem.facts["person"]}
        return words_, _("Nothing was changed. You may still decide it, or take the claim over.")
    if isinstance(problem, Expired):
        detail = _("It ran out on {at}. Nothing was done, and nothing of it will be.")
        return _("The time for this decision has passed"), _at(detail, item.valid_until)
    if type(problem) in _PLAIN:
        return _PLAIN[type(problem)]()
    if isinstance(problem, DigestMismatch):
        return _("This is not what your page showed"), _mismatch(problem)
    return _moved_on(item, newest)


_PLAIN: Mapping[type[PlacetError], Callable[[], Said]] = {
    Stopped: lambda: (
        _("A stop is in force"),
        _("Nothing new may begin, so nothing can be approved. You may still reject or return it."),
    ),
    RuleChanged: lambda: (
        _("The policy has changed"),
        _("Another rule holds for this than the one you were shown. It is asked anew."),
    ),
    NotRehearsed: lambda: (
        _("Its rollback has to be rehearsed first"),
        _("The policy demands a rehearsal that passed and still counts. You may reject or return."),
    ),
    StepUpNeeded: lambda: (
        _("To approve this takes your second factor"),
        _("None that you have shown counts for this any more. Nothing was decided."),
    ),
}
"""What there is nothing more to tell of."""


def _decided(facts: dict[str, Any]) -> Said:
    templates = {
        "approved": _("%(person)s has approved this"),
        "rejected": _("%(person)s has rejected this"),
        "returned": _("%(person)s has returned this with a question"),
    }
    at = datetime.fromisoformat(facts["at"])
    detail = _("Decided on {at}. One decision is enough; yours was not counted.")
    return templates[facts["status"]] % {"person": facts["person"]}, _at(detail, at)


def _at(words: str, at: datetime) -> str:
    return format_html(words, at=when(at, timezone.now()))


def _mismatch(problem: DigestMismatch) -> str:
    if "detail" not in problem.facts:
        return problem.message
    return _("What would be done is no longer what you were shown.")


def _moved_on(item: Version, newest: int) -> Said:
    if newest > item.version:
        return _("There is a newer version of this proposal"), _(
            "Version %(newest)d has taken the place of version %(version)d, which you were shown."
        ) % {"newest": newest, "version": item.version}
    word = words.shown("proposal", item.status)
    return _("This proposal is no longer open"), f"{word.word}: {word.meaning}"


def _changes(item: Version, newest: int) -> Any:
    if newest == item.version:
        return None
    versions = {past.version: past for past in reads.versions(item.proposal_id)}
    return changes(versions[item.version], versions[newest])
