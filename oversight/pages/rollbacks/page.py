"""The plans beside what was taken back in practice."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engine import states
from oversight.pages.rollbacks import plans, reads
from oversight.pages.rollbacks.plans import Plan, Whole
from oversight.pages.rollbacks.reads import Practice, TakenBack, Told
from oversight.reading import rehearsals
from oversight.reading.rehearsals import Rehearsed
from oversight.showing import words
from oversight.showing.timeline import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One version of an action, and its practice."""

    plan: Plan
    practice: Practice
    rehearsed: Rehearsed | None

    @property
    def rehearsal(self) -> str:
        """The word for how its rehearsals stand."""
        if self.plan.not_rehearsable:
            return "cannot"
        return self.rehearsed.standing if self.rehearsed else "never"


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
    known, done, tried = plans.all_of_them(), reads.practice(), rehearsals.latest()
    rows = tuple(_row(plan, done.get(plan.key, Practice()), tried.get(plan.key)) for plan in known)
    left = sorted(set(done) - {plan.key for plan in known})
    return Listed(
        rows=tuple(row for row in rows if kind in ("", row.plan.kind)),
        gone=() if kind else tuple(_gone(*key, done[key]) for key in left),
        tabs=_tabs(known, kind),
        lead=f"{_lead(known)} {_coverage(rows)}",
    )


def _row(plan: Plan, practice: Practice, rehearsed: Rehearsed | None) -> Row:
    return Row(plan=plan, practice=practice, rehearsed=rehearsed)


def _coverage(rows: tuple[Row, ...]) -> str:
    """How many of the plans that can be rehearsed are, and still count."""
    can = [row for row in rows if not row.plan.not_rehearsable]
    fresh = sum(row.rehearsal == "passed" for row in can)
    if not any(row.rehearsed for row in rows):
        return _("None of these plans was ever rehearsed.")
    words_ = _(
        "Of %(can)d that can be rehearsed, %(fresh)d were, with success, and it counts still."
    )
    return words_ % {"can": len(can), "fresh": fresh}


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
    rehearsals: tuple[Rehearsed, ...]


def shown(action: Whole) -> Shown:
    name, version = action.plan.key
    return Shown(
        action=action,
        practice=reads.practice().get((name, version), Practice()),
        taken_back=reads.taken_back(name, version),
        rehearsals=rehearsals.of_action(name, version, most=reads.LATEST),
    )


def entries(told: Told) -> tuple[Entry, ...]:
    """The timeline of a rehearsal."""
    return tuple(
        Entry(
            at=datetime.fromisoformat(moment["at"]),
            words=moment["what"],
            detail=moment["detail"],
            glyph="ring-dot",
        )
        for moment in told.timeline
    )
