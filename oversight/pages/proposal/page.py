"""A proposal's page, put together from what was read."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from engine import api
from oversight.pages.proposal import (
    before,
    claiming,
    pieces,
    premises,
    quorum,
    reads,
    shown,
    standing,
)
from oversight.pages.proposal.forms import DecisionForm, TakeBackForm
from oversight.pages.proposal.quorum import Quorum
from oversight.pages.proposal.reads import Past, Said, Version
from oversight.pages.proposal.standing import Standing
from oversight.reading import hurry
from oversight.second_factor.for_approval import Asked
from oversight.showing import refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What stands in the place of the decision.

    `kind` is form; or, where this person cannot decide now: older, own, closed or barred. `stop` is
    the reason of a stop: of one in force, or of that under which the version lapsed.
    """

    kind: str
    form: DecisionForm | None = None
    why_not: str = ""
    said: Said | None = None
    offer: reads.Offer | None = None
    stop: str | None = None
    edited: reads.Edited | None = None
    hurry: int | None = None
    take_back: TakeBackForm | None = None
    step_up: Asked | None = None


Drawn = tuple[pieces.Pieces, datetime]
"""What is shown, and when."""

Typed = DecisionForm | TakeBackForm | None
"""A form that came back with what is wrong, if one did."""


def assembled(
    item: Version, reviewer: api.Reviewer, form: Typed = None, *, step_up: Asked | None = None
) -> dict[str, Any]:
    """Everything the page shows to this person; `form` is one that came back with mistakes."""
    stands = standing.of(item, was_open=item.decidable)
    past = reads.versions(item.proposal_id)
    heard = quorum.of(item, stands.said, reviewer.person_id)
    said = quorum.visible(item, stands.said, reviewer.person_id)
    edited = {each.version: each for each in reads.edits(item)}
    now = timezone.now()
    drawn = pieces.drawn(item, now)
    bar = _bar(item, stands, heard, reviewer, form, edited.get(item.version), (drawn, now))
    return {
        "item": item,
        "pieces": drawn,
        "look": premises.last(item),
        "before": before.of(item),
        "history": [(each, _of_version(said, each), edited.get(each.version)) for each in past],
        "standing": stands,
        "quorum": heard,
        "bar": replace(bar, step_up=step_up),
        "claim": claiming.of(item, reviewer.person_id, may=bar.kind == "form"),
    }


def _of_version(said: tuple[Said, ...], past: Past) -> list[Said]:
    return [each for each in said if each.version == past.version]


def _bar(
    item: Version,
    stands: Standing,
    heard: Quorum,
    reviewer: api.Reviewer,
    form: Typed,
    edited: reads.Edited | None,
    drawn: Drawn,
) -> Bar:
    if stands.outdated:
        return Bar(kind="older")
    if heard.own is not None or not item.decidable:
        offer = reads.next_for(reviewer.person_id, after=item.id)
        kind = "own" if heard.own else "closed"
        stop = reads.lapsed_under(item) if item.status == "lapsed" else None
        taking = _taking_back(item, heard, form)
        said = heard.own or stands.decision
        return Bar(
            kind=kind,
            said=said,
            offer=offer,
            stop=stop,
            take_back=taking,
            edited=edited,
            hurry=_hurry(heard),
        )
    why_not = api.why_not_decide(reviewer, item.id)
    if why_not is not None:
        return Bar(kind="barred", why_not=refusals.in_words(why_not))
    stop = (api.stop_over(item.id) or {}).get("reason")
    decision = form if isinstance(form, DecisionForm) else None
    renewed = _renewed(item, reviewer, decision, drawn)
    return Bar(kind="form", form=renewed, stop=stop)


def _hurry(heard: Quorum) -> int | None:
    """For the reader alone: how many seconds it takes to read what they decided sooner."""
    needs = hurry.too_fast(heard.own.seen) if heard.own else None
    return None if needs is None else round(needs)


def _taking_back(item: Version, heard: Quorum, form: Typed) -> TakeBackForm | None:
    """One's own approval can be taken back until something is sent under it."""
    approved = heard.own is not None and heard.own.decision == "approve"
    if not approved or item.status not in ("open", "approved") or reads.was_sent(item):
        return None
    return form if isinstance(form, TakeBackForm) else TakeBackForm()


def _renewed(
    item: Version, reviewer: api.Reviewer, form: DecisionForm | None, drawn: Drawn
) -> DecisionForm:
    """A form for what is displayed now; what was typed into an earlier one is kept."""
    fixed = {
        "version": str(item.version),
        "digest": item.digest,
        "displayed": shown.token(item, reviewer.person_id, drawn[1], **pieces.measured(drawn[0])),
    }
    if form is None:
        return DecisionForm(initial=fixed)
    form.data = {**{name: form.data.get(name) for name in form.data}, **fixed}
    return form
