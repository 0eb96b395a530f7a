"""What the premises of a version were when they were last looked at, and how to look again."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from engine import api
from engine.errors import Conflict, NotPermitted, TooEarly
from oversight.access import speaker
from oversight.pages.proposal import reads
from oversight.pages.proposal.reads import Version
from oversight.reading import log
from oversight.showing import diff, refusals

KINDS = ("premises_asked", "premises_read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """`state` is asked, holds, changed or unread; `changed` are the premises that are otherwise,
    `problem` is why they could not be read."""

    state: str
    at: datetime
    changed: tuple[diff.Row, ...] = ()
    problem: str = ""


def last(item: Version) -> Look | None:
    """The newest look at this version's premises, or what was asked of it since."""
    told = [event for event in log.of_kinds(item.run_id, *KINDS) if _is_of(event.facts, item)]
    if not told:
        return None
    event = told[-1]
    if event.kind == "premises_asked":
        return Look(state="asked", at=event.at)
    return _found(item, event.facts, event.at)


def _is_of(facts: Mapping[str, Any], item: Version) -> bool:
    return bool(facts.get("id") == str(item.id))


def _found(item: Version, facts: Mapping[str, Any], at: datetime) -> Look:
    if facts["problem"]:
        return Look(state="unread", at=at, problem=facts["problem"])
    changed = diff.changed(diff.rows(item.terms["precondition"], facts["found"]))
    return Look(state="changed" if changed else "holds", at=at, changed=changed)


def look(request: HttpRequest, proposal_id: uuid.UUID, version: int) -> HttpResponse:
    """Ask, by POST, that a worker read the premises again; what it finds comes to the page."""
    item = reads.version(proposal_id, version)
    if item is None:
        raise Http404
    if request.method == "POST":
        _ask(request, item)
        if request.htmx:  # type: ignore[attr-defined]
            return render(request, "proposal/look.html", {"look": last(item)})
    return redirect("proposal:version", proposal_id, version)


def _ask(request: HttpRequest, item: Version) -> None:
    try:
        api.look_again(item.run_id, item.id, reviewer=speaker(request))
    except NotPermitted as problem:
        messages.info(request, refusals.in_words(problem.why))
    except TooEarly:
        messages.info(request, _("It was looked at a moment ago."))
    except Conflict:
        messages.info(request, _("It is no longer open, so its premises are not looked at."))
