"""A proposal's page, put together from what was read."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from engine import api
from oversight.pages.proposal import claiming, facts, premises, quorum, reads, shown, standing
from oversight.pages.proposal.forms import DecisionForm, TakeBackForm
from oversight.pages.proposal.quorum import Quorum
from oversight.pages.proposal.reads import Past, Said, Version
from oversight.pages.proposal.standing import Standing
from oversight.pages.proposal.stepping_up import Asked
from oversight.reading import rehearsals
from oversight.showing import diff, literal, refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of evidence: a text, or a `structured` value laid out."""

    text: str
    structured: bool


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
    take_back: TakeBackForm | None = None
    step_up: Asked | None = None


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
    now = timezone.now()
    edited = {each.version: each for each in reads.edits(item)}
    bar = _bar(item, stands, heard, reviewer, form, edited.get(item.version))
    return {
        "item": item,
        "edited": edited.get(item.version - 1),
        "answered": _answered(past, stands.said, item),
        "facts": facts.computed(item, now),
        "sent_again": facts.sent_again(item),
        "change": _change(item),
        "premises": diff.rows({}, item.terms["precondition"]),
        "look": premises.last(item),
        "evidence": [_piece(piece) for piece in item.terms["evidence"]],
        "history": [(each, _of_version(said, each), edited.get(each.version)) for each in past],
        "since": _since_before(item, past),
        "standing": stands,
        "rehearsed": next(iter(rehearsals.of_action(*item.action, most=1)), None),
        "quorum": heard,
        "bar": replace(bar, step_up=step_up),
        "claim": claiming.of(item, reviewer.person_id, may=bar.kind == "form"),
    }


def _change(item: Version) -> list[diff.Row]:
    """The target before and after, what differs first."""
    found = diff.rows(item.terms["change"]["before"], item.terms["change"]["after"])
    return sorted(found, key=lambda row: row.change == "same")


def _piece(evidence: object) -> Piece:
    if isinstance(evidence, str) and not isinstance(evidence, literal.Number):
        return Piece(text=evidence, structured=False)
    return Piece(text=literal.laid_out(evidence), structured=True)


def _of_version(said: tuple[Said, ...], past: Past) -> list[Said]:
    return [each for each in said if each.version == past.version]


def _since_before(item: Version, past: tuple[Past, ...]) -> tuple[diff.Row, ...] | None:
    """What differs from the version before; None for a first version."""
    versions = {each.version: each for each in past}
    before = versions.get(item.version - 1)
    return None if before is None else changes(before, versions[item.version])


def _answered(
    past: tuple[Past, ...], said: tuple[Said, ...], item: Version
) -> tuple[Past, Said | None] | None:
    """The question that this version answers, and who asked it."""
    before = next((each for each in past if each.version == item.version - 1), None)
    if before is None or before.status != "returned":
        return None
    asked = (one for one in _of_version(said, before) if one.decision == "return")
    return before, next(asked, None)


def changes(before: Past, after: Past) -> tuple[diff.Row, ...]:
    """What differs between two versions: their arguments and their premises."""
    return diff.changed(diff.rows(_compared(before), _compared(after)))


def _compared(past: Past) -> Mapping[str, Any]:
    return {"arguments": literal.read(past.arguments), "premises": past.premises}


def _bar(
    item: Version,
    stands: Standing,
    heard: Quorum,
    reviewer: api.Reviewer,
    form: Typed,
    edited: reads.Edited | None,
) -> Bar:
    if stands.outdated:
        return Bar(kind="older")
    if heard.own is not None or not item.decidable:
        offer = reads.next_for(reviewer.person_id, after=item.id)
        kind = "own" if heard.own else "closed"
        stop = reads.lapsed_under(item) if item.status == "lapsed" else None
        taking = _taking_back(item, heard, form)
        said = heard.own or stands.decision
        return Bar(kind=kind, said=said, offer=offer, stop=stop, take_back=taking, edited=edited)
    why_not = api.why_not_decide(reviewer, item.id)
    if why_not is not None:
        return Bar(kind="barred", why_not=refusals.in_words(why_not))
    stop = (api.stop_over(item.id) or {}).get("reason")
    decision = form if isinstance(form, DecisionForm) else None
    renewed = _renewed(item, reviewer, decision)
    return Bar(kind="form", form=renewed, stop=stop)


def _taking_back(item: Version, heard: Quorum, form: Typed) -> TakeBackForm | None:
    """One's own approval can be taken back until something is sent under it."""
    approved = heard.own is not None and heard.own.decision == "approve"
    if not approved or item.status not in ("open", "approved") or reads.was_sent(item):
        return None
    return form if isinstance(form, TakeBackForm) else TakeBackForm()


def _renewed(item: Version, reviewer: api.Reviewer, form: DecisionForm | None) -> DecisionForm:
    """A form for what is displayed now; what was typed into an earlier one is kept."""
    fixed = {
        "version": str(item.version),
        "digest": item.digest,
        "displayed": shown.token(item, reviewer.person_id, timezone.now()),
    }
    if form is None:
        return DecisionForm(initial=fixed)
    form.data = {**{name: form.data.get(name) for name in form.data}, **fixed}
    return form
