"""The plans beside what was taken back in practice."""

from collections import Counter
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engine import states
from oversight.pages.rollbacks import plans, reads
from oversight.pages.rollbacks.plans import Plan, Whole
from oversight.pages.rollbacks.reads import Practice, TakenBack
from oversight.showing import words


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One version of an action, and its practice."""

    plan: Plan
    practice: Practice


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A version of an action that was used and that this code no longer has."""

    label: str
    practice: Practice


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The plans of one kind, or all; `gone` stands only where all are asked for."""

    rows: tuple[Row, ...]
    gone: tuple[Gone, ...]
    tabs: list[tuple[str, str, bool, int]]
    lead: str


def listed(kind: str) -> Listed:
    known, done = plans.all_of_them(), reads.practice()
    rows = (Row(plan=plan, practice=done.get(plan.key, Practice())) for plan in known)
    left = sorted(set(done) - {plan.key for plan in known})
    return Listed(
        rows=tuple(row for row in rows if kind in ("", row.plan.kind)),
        gone=() if kind else tuple(_gone(*key, done[key]) for key in left),
        tabs=_tabs(known, kind),
        lead=_lead(known),
    )


def _gone(name: str, version: int, practice: Practice) -> Gone:
    return Gone(label=f"{name} v{version}", practice=practice)


def _tabs(known: tuple[Plan, ...], kind: str) -> list[tuple[str, str, bool, int]]:
    counts = Counter(plan.kind for plan in known)
    every = (_url(""), _("All"), not kind, len(known))
    kinds = (
        (_url(each), str(words.shown("rollback", each).word), each == kind, counts[each])
        for each in states.ROLLBACK_KINDS
    )
    return [every, *kinds]


def _url(kind: str) -> str:
    return reverse("rollbacks:page", query={"kind": kind} if kind else {})


def _lead(known: tuple[Plan, ...]) -> str:
    words_ = ngettext(
        "How the %(count)d action that this code knows is taken back.",
        "How each of the %(count)d actions that this code knows is taken back.",
        len(known),
    )
    return words_ % {"count": len(known)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One action's page."""

    action: Whole
    practice: Practice
    taken_back: tuple[TakenBack, ...]


def shown(action: Whole) -> Shown:
    name, version = action.plan.key
    return Shown(
        action=action,
        practice=reads.practice().get((name, version), Practice()),
        taken_back=reads.taken_back(name, version),
    )
