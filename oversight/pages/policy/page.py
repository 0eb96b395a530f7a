"""The policy's pages, put together from what was read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from engine import actions
from oversight.pages.policy import changes, meaning, reads
from oversight.pages.policy.changes import Change
from oversight.pages.policy.draft import Draft
from oversight.pages.policy.forms import AnswerForm, ReasonForm
from oversight.pages.policy.meaning import Consequence, Held
from oversight.pages.policy.reads import Version
from oversight.showing.text import revealed
from oversight.showing.when import when

Rules = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One version and what differs from the one before it; None for the first."""

    version: Version
    changes: tuple[Change, ...] | None

    @property
    def brief(self) -> str:
        return _("The first policy.") if self.changes is None else changes.in_brief(self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The policy's own page. `held` is None where no policy is in force."""

    in_force: Version | None
    held: tuple[Held, ...] | None
    proposed: tuple[Told, ...]
    history: tuple[Told, ...]
    older_url: str


def shown(*, below: int | None) -> Shown:
    standing = reads.in_force()
    found, older = reads.history(below=below)
    return Shown(
        in_force=standing,
        held=meaning.held(standing.rules) if standing else None,
        proposed=tuple(_told(each) for each in reads.proposed()),
        history=tuple(_told(each) for each in found),
        older_url=reverse("policy:page", query={"below": older}) if older else "",
    )


def _told(item: Version) -> Told:
    found = None if item.before_rules is None else changes.between(item.before_rules, item.rules)
    return Told(version=item, changes=found)


@dataclass(frozen=True, slots=True, kw_only=True)
class One:
    """One version's page. `offer` is what this reader can do: answer, drop (their own), wait (for
    administrators) or nothing."""

    told: Told
    held: tuple[Held, ...]
    facts: list[tuple[object, ...]]
    consequence: Consequence | None
    offer: str
    form: AnswerForm | None


def one(item: Version, now: Any, *, reader: int, administers: bool, form: AnswerForm | None) -> One:
    offer = _offer(item, reader, administers=administers)
    fresh = AnswerForm(initial={"instead_of": item.before_number or 0})
    return One(
        told=_told(item),
        held=meaning.held(item.rules),
        facts=_facts(item, now),
        consequence=_consequence(item) if item.proposed else None,
        offer=offer,
        form=(form or fresh) if offer in ("answer", "drop") else None,
    )


def _offer(item: Version, reader: int, *, administers: bool) -> str:
    if not item.proposed:
        return "nothing"
    if not administers:
        return "wait"
    return "drop" if item.proposer_id == reader else "answer"


def _consequence(item: Version) -> Consequence | None:
    return meaning.consequence(item.before_rules, item.rules) if item.before_rules else None


def _facts(item: Version, now: Any) -> list[tuple[object, ...]]:
    """Who, when and why, step by step."""
    answer = reads.answer_to(item)
    why = revealed(answer.reason) if answer else ""
    found: list[tuple[object, ...]] = [
        (_("Proposed by"), revealed(item.proposed_by), when(item.proposed_at, now)),
        (_("Why"), revealed(item.reason)),
    ]
    if item.in_force_at:
        by = revealed(item.in_force_by)
        found.append((_("Put in force by"), by, when(item.in_force_at, now)))
    if item.status == "dropped" and item.ended_at:
        found.append((_("Dropped by"), revealed(item.ended_by), when(item.ended_at, now)))
    if why:
        found.append((_("Their reason"), why))
    if item.status == "retired" and item.ended_at:
        found.append((_("In force until"), when(item.ended_at, now)))
    return found


def writing(draft: Draft, standing: Version | None) -> dict[str, Any]:
    """The form: rules as they are being written, and the actions that there are."""
    known = sorted({name for each in actions.registered() for name in _names(each.name)})
    return {"draft": draft, "standing": standing, "actions": known}


def _names(action: str) -> tuple[str, str]:
    return action, f"{action.partition('.')[0]}.*"


def preview(
    draft: Draft, rules: Rules, standing: Version | None, form: ReasonForm
) -> dict[str, Any]:
    """The second step: what differs, and what it would mean."""
    before = standing.rules if standing else ()
    return {
        "draft": draft,
        "standing": standing,
        "changes": changes.between(before, rules),
        "held": meaning.held(rules),
        "consequence": meaning.consequence(before, rules) if standing else None,
        "form": form,
    }
