"""One effect's page, put together from what was read."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise

from oversight.pages.unknowns import facts, reads, story
from oversight.pages.unknowns.forms import RulingForm
from oversight.pages.unknowns.reads import Doubt, Kept
from oversight.pages.unknowns.rulings import RULINGS
from oversight.reading import actors, log
from oversight.reading.log import Logged
from oversight.showing import literal
from oversight.showing.timeline import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """The newest ruling, in words, and what follows from it."""

    person: str
    at: datetime
    words: str
    follows: Promise
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Raw evidence, and where on the page it is."""

    anchor: str
    kept: Kept

    @property
    def text(self) -> str:
        """Complete: JSON laid out, its numbers as they were kept; anything else as it is."""
        try:
            return literal.laid_out(literal.read(self.kept.body))
        except ValueError:
            return self.kept.body.decode(errors="backslashreplace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """All that keeps itself up to date while somebody looks at it."""

    doubt: Doubt
    facts: list[facts.Fact]
    entries: tuple[Entry, ...]
    evidence: tuple[Piece, ...]
    alerts: tuple[tuple[uuid.UUID, str, str], ...]
    ruled: Ruled | None
    times_asked: int
    last_asked: datetime | None
    due: bool
    live_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice of the form. `blocked` until it can no longer be refused for coming too early."""

    value: str
    words: Promise
    follows: Promise
    chosen: bool
    blocked: bool


def shown(doubt: Doubt, *, offered: bool, early: bool) -> Shown:
    """`offered`: the reader's page has the form; `early`: with "did not happen" still blocked."""
    now = timezone.now()
    told = story.of_effect(log.of_kinds(doubt.run_id, *story.KINDS), doubt.effect_id)
    probes = [event for event in told if event.kind == "effect_reconciled"]
    return Shown(
        doubt=doubt,
        facts=facts.sent(doubt, now),
        entries=story.entries(told, actors.names([event.actor for event in told])),
        evidence=_pieces(told),
        alerts=reads.alerts(doubt.effect_id),
        ruled=_ruled(doubt, told),
        times_asked=len(probes),
        last_asked=probes[-1].at if probes else None,
        due=doubt.wake_at is not None and doubt.wake_at <= now,
        live_url=_live_url(doubt, offered=offered, early=early),
    )


def _pieces(told: tuple[Logged, ...]) -> tuple[Piece, ...]:
    """What came back, the newest first; what came back twice is there once."""
    addresses = dict.fromkeys(filter(None, (story.evidence_of(event) for event in reversed(told))))
    kept = reads.evidence(addresses)
    return tuple(
        Piece(anchor=story.anchor(address), kept=kept[address])
        for address in addresses
        if address in kept
    )


def _ruled(doubt: Doubt, told: tuple[Logged, ...]) -> Ruled | None:
    rulings = [event for event in told if event.kind == "effect_resolved"]
    if not rulings:
        return None
    said = rulings[-1].facts
    until = datetime.fromisoformat(said["until"]) if said.get("until") else None
    return Ruled(
        person=said["person_name"],
        at=rulings[-1].at,
        words=story.ruling(said["resolution"])[0],
        follows=RULINGS[said["resolution"]].next_for(doubt),
        until=until,
    )


def _live_url(doubt: Doubt, *, offered: bool, early: bool) -> str:
    if doubt.settled:
        return ""
    query = {"seen": mark(doubt), "offered": int(offered), "early": int(early)}
    return reverse("unknowns:live", args=[doubt.effect_id], query=query)


def mark(doubt: Doubt) -> str:
    """Changes with every event of the run, and when no call can arrive any more."""
    return f"{doubt.last_seq}{'p' if doubt.past else ''}"


def assembled(doubt: Doubt, form: RulingForm | None, *, may_rule: bool) -> dict[str, Any]:
    """Everything the page shows; `form` is one that came back with mistakes."""
    offered = may_rule and doubt.unknown
    return {
        "shown": shown(doubt, offered=offered, early=offered and not doubt.past),
        "may_rule": may_rule,
        "form": _renewed(doubt, form) if offered else None,
        "options": options(doubt, form),
    }


def _renewed(doubt: Doubt, form: RulingForm | None) -> RulingForm:
    """A form for what is displayed now; what was typed into an earlier one is kept."""
    if form is None:
        return RulingForm(initial={"attempt": doubt.attempt})
    form.data = {**{name: form.data.get(name) for name in form.data}, "attempt": doubt.attempt}
    return form


def options(doubt: Doubt, form: RulingForm | None) -> list[Option]:
    chosen = form.data.get("resolution") if form is not None else None
    return [
        Option(
            value=value,
            words=ruling.words,
            follows=ruling.next_for(doubt),
            chosen=value == chosen,
            blocked=value == "did_not_happen" and not doubt.past,
        )
        for value, ruling in RULINGS.items()
    ]
