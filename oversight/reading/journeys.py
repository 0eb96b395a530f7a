"""How far each effect of a run has come, told by nothing but the run's own log.

A proposal version and the effect that it allows are one journey; a rollback is a journey of its
own, which rests on the decision that allowed what it takes back.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.utils.functional import Promise

from oversight.reading.log import Logged
from oversight.showing import literal, words
from oversight.showing.stations import Station, stations

ENDED = ("rejected", "expired", "withdrawn", "superseded", "lapsed", "returned")
SETTLED = (*ENDED, "committed", "failed", "compensated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """`state` is a word of `kind` ("proposal" or "effect"); `reached` has the time of each station.

    `mark` is the state whose word and sign stand at the station where it is, if any.
    """

    proposal_id: str = ""
    version: int = 1
    effect_id: str = ""
    compensates: str = ""
    action: str = ""
    headline: str = ""
    kind: str = "proposal"
    state: str = "preparing"
    reached: Mapping[str, datetime] = field(default_factory=dict)
    halted: bool = False
    mark: tuple[str, str] | None = None
    attempt: int = 1

    @property
    def stations(self) -> tuple[Station, ...]:
        note, glyph, tone = self._marked()
        return stations(self.reached, halted=self.halted, note=note, glyph=glyph, tone=tone)

    @property
    def opened(self) -> bool:
        return "proposed" in self.reached

    @property
    def settled(self) -> bool:
        """Nothing more will happen to it."""
        return self.state in SETTLED

    @property
    def in_doubt(self) -> bool:
        """Nobody can tell whether it happened."""
        return self.kind == "effect" and self.state == "unknown"

    def _marked(self) -> tuple[str | Promise, str, str]:
        if self.mark is None:
            return "", "", ""
        shown = words.shown(*self.mark)
        return shown.word, shown.glyph, shown.tone


def told_by(log: Iterable[Logged]) -> tuple[Journey, ...]:
    """The journeys that the log tells of, in the order in which they began."""
    book = _Book()
    for event in log:
        _TOLD[event.kind](book, event)
    return tuple(book.journeys.values())


class _Book:
    """The journeys so far, and by which name an event may speak of one."""

    def __init__(self) -> None:
        self.journeys: dict[str, Journey] = {}
        self.authorised: dict[str, datetime] = {}
        self._of_effect: dict[str, str] = {}

    def of_version(self, facts: Mapping[str, Any]) -> str:
        return f"{facts['proposal_id']} {int(facts.get('version') or 1)}"

    def of_effect(self, effect_id: str | None) -> str:
        return self._of_effect.get(effect_id or "", "")

    def begin(self, name: str, journey: Journey) -> None:
        self.journeys.setdefault(name, journey)

    def name_effect(self, name: str, effect_id: str) -> None:
        self._of_effect[effect_id] = name

    def change(self, name: str, at: datetime, *passed: str, **changes: Any) -> None:
        """The journey has passed these stations; whatever stood at its last one is gone."""
        journey = self.journeys.get(name)
        if journey is None:  # what it speaks of was erased by design
            return
        reached = {**journey.reached, **dict.fromkeys(passed, at)}
        self.journeys[name] = replace(journey, **{"reached": reached, "mark": None, **changes})


def _requested(book: _Book, event: Logged) -> None:
    facts = event.facts
    if "proposal_id" not in facts:
        return
    version = int(facts.get("version") or int(facts.get("answers_version") or 0) + 1)
    journey = Journey(
        proposal_id=facts["proposal_id"],
        version=version,
        action=facts.get("action", ""),
        mark=("proposal", "preparing"),
    )
    book.begin(book.of_version({**facts, "version": version}), journey)


def _opened(book: _Book, event: Logged) -> None:
    if "proposal_id" not in event.facts:
        return
    name = book.of_version(event.facts)
    terms = literal.read(event.facts["terms"])
    _requested(book, event)
    headline = {"action": terms["action"], "headline": terms["headline"]}
    book.change(name, event.at, "proposed", state="open", **headline)


def _closed(state: str) -> Callable[[_Book, Logged], None]:
    def told(book: _Book, event: Logged) -> None:
        if "proposal_id" not in event.facts:
            return
        name = book.of_version(event.facts)
        mark = ("proposal", state)
        halted = state != "returned"  # a returned one waits to be answered
        book.change(name, event.at, kind="proposal", state=state, halted=halted, mark=mark)

    return told


def _carried_over(book: _Book, event: Logged) -> None:
    """Its run stands on other versions: undecided, it is superseded; approved, that lapsed."""
    if not event.facts.get("id"):
        return
    journey = book.journeys.get(book.of_version(event.facts))
    undecided = journey is not None and "decided" not in journey.reached
    _closed("superseded" if undecided else "lapsed")(book, event)


def _approved(book: _Book, event: Logged) -> None:
    if "proposal_id" in event.facts:
        book.change(book.of_version(event.facts), event.at, "decided", state="approved")


def _exempted(book: _Book, event: Logged) -> None:
    if "proposal_id" in event.facts:
        book.change(book.of_version(event.facts), event.at, "decided", state="exempted")


def _authorised(book: _Book, event: Logged) -> None:
    """By the decision that allowed one effect, or by an operator for all that they named."""
    covered = [event.facts, *event.facts.get("covers", ())]
    for one in covered:
        book.authorised[one.get("effect_id", "")] = event.at


def _prepared(book: _Book, event: Logged) -> None:
    facts = event.facts
    if "effect_id" not in facts:
        return
    if facts.get("compensates"):
        name = f"rollback {facts['effect_id']}"
        book.begin(name, _rollback(book, facts))
    else:
        name = book.of_version(facts)
    book.name_effect(name, facts["effect_id"])
    book.change(
        name, event.at, "prepared", kind="effect", state="prepared", effect_id=facts["effect_id"]
    )


def _rollback(book: _Book, facts: Mapping[str, Any]) -> Journey:
    """It was proposed and decided together with what it takes back."""
    forward = book.journeys.get(book.of_effect(facts["compensates"]))
    at = book.authorised.get(facts["compensates"])
    reached = {"proposed": at, "decided": at} if at else {}
    return Journey(
        compensates=facts["compensates"],
        proposal_id=forward.proposal_id if forward else "",
        version=forward.version if forward else 1,
        action=f"{facts['action']} v{facts['action_version']}",
        reached=reached,
    )


def _intended(book: _Book, event: Logged) -> None:
    name = book.of_effect(event.facts.get("effect_id"))
    attempt = int(event.facts.get("attempt") or 1)
    book.change(name, event.at, state="executing", mark=("effect", "executing"), attempt=attempt)


def _recorded(book: _Book, event: Logged) -> None:
    status = event.facts.get("status", "")
    name = book.of_effect(event.facts.get("effect_id"))
    mark = ("effect", status)
    if status == "succeeded":
        book.change(name, event.at, "executed", "recorded", state=status, halted=False)
    elif status == "failed":
        book.change(name, event.at, "executed", state=status, halted=True, mark=mark)
    elif status == "unknown":
        book.change(name, event.at, "executed", state=status, mark=mark)
    elif name:
        _sent_again(book, name, event.at)


def _resolved(book: _Book, event: Logged) -> None:
    """A person has ruled: what happened in part is as good as read at the target."""
    _recorded(book, event)
    if event.facts.get("resolution") == "partly":
        name = book.of_effect(event.facts.get("effect_id"))
        book.change(name, event.at, halted=True, mark=("verification", "partial"))


def _sent_again(book: _Book, name: str, at: datetime) -> None:
    """It had surely not arrived: back to where nothing was sent."""
    kept = {key: value for key, value in book.journeys[name].reached.items() if key != "executed"}
    book.change(name, at, state="prepared", reached=kept, mark=("effect", "prepared"))


def _verified(book: _Book, event: Logged) -> None:
    found = event.facts.get("verification", "")
    name = book.of_effect(event.facts.get("effect_id"))
    if found == "passed":
        return book.change(name, event.at, "verified", halted=False)
    book.change(name, event.at, halted=found != "not_yet", mark=("verification", found))
    return None


def _accepted(book: _Book, event: Logged) -> None:
    """Not as approved, and a named person answers for it: it is on its way to be committed."""
    name = book.of_effect(event.facts.get("effect_id"))
    book.change(name, event.at, halted=False)


def _committed(book: _Book, event: Logged) -> None:
    name = book.of_effect(event.facts.get("effect_id"))
    book.change(name, event.at, "committed", state="committed")
    forward = book.of_effect(event.facts.get("compensates"))
    if forward:
        mark = book.journeys[forward].mark
        book.change(forward, event.at, state="compensated", mark=mark)


def _compensated(book: _Book, event: Logged) -> None:
    """Taken back by hand, or by another run; what this run had begun for it is over."""
    effect = event.facts.get("effect_id")
    book.change(book.of_effect(effect), event.at, state="compensated")
    for name, journey in tuple(book.journeys.items()):
        if effect and journey.compensates == effect and not journey.settled:
            book.change(name, event.at, state="compensated", halted=True)


_TOLD: Mapping[str, Callable[[_Book, Logged], None]] = {
    "effect_requested": _requested,
    "request_taken_up": _requested,
    "proposal_opened": _opened,
    "proposal_approved": _approved,
    "proposal_exempted": _exempted,
    **{f"proposal_{state}": _closed(state) for state in ENDED if state != "lapsed"},
    "proposal_retracted": _closed("withdrawn"),
    "approval_lapsed": _closed("lapsed"),
    "proposal_lapsed": _closed("lapsed"),
    "proposal_edited": _closed("superseded"),
    "versions_carried_over": _carried_over,
    "rollback_authorised": _authorised,
    "effect_prepared": _prepared,
    "effect_intended": _intended,
    "effect_recorded": _recorded,
    "effect_reconciled": _recorded,
    "effect_resolved": _resolved,
    "effect_verified": _verified,
    "effect_accepted": _accepted,
    "effect_committed": _committed,
    "effect_compensated": _compensated,
}
