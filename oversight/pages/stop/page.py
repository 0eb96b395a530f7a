"""The stop's page, put together from what was read."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from engine import api
from oversight.pages.stop import reads
from oversight.pages.stop.reads import Named, Placed
from oversight.reading import actors, attention
from oversight.reading.actors import Actor

ORDER = ("under way", "unknown", "done", "not started")
"""What a receipt says of effects: what is not safe yet is first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One effect on a receipt, what is told of it, and what it is about."""

    run_id: uuid.UUID
    told: str
    outcome: str
    settled_at: datetime | None
    named: Named


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Every effect that was in flight, how many of each kind, and the seconds to the safe state."""

    lines: tuple[Line, ...]
    counts: tuple[tuple[str, int], ...]
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One stop, who placed it, who asked that it be lifted, and who lifted it."""

    stop: Placed
    placed_by: Actor
    asked_by: Actor | None
    lifted_by: Actor | None

    @property
    def agree_until(self) -> datetime | None:
        """Until when another person can agree with whoever asked; None where nobody waits."""
        asked_at = self.stop.asked_at if self.stop.in_force else None
        until = asked_at + api.TO_AGREE if asked_at else None
        return until if until and until > timezone.now() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """All that keeps itself up to date while somebody looks at it. `offered` is what the reader's
    page offers: to lift one stop, to place one ("none"), or nothing."""

    told: Told | None
    receipt: Receipt | None
    reach: reads.Reach | None
    unknown: int
    narrower: int
    offered: str

    @property
    def offer(self) -> str:
        """What can be done now: to lift the stop of this id, or to place one."""
        return str(self.told.stop.stop_id) if self.told else "none"

    @property
    def mark(self) -> str:
        """Changes with whatever is shown."""
        asked = self.told and self.told.agree_until
        seen = f"{self.offer} {self.receipt} {self.reach} {self.unknown} {self.narrower} {asked}"
        return sha256(seen.encode()).hexdigest()[:16]

    @property
    def live_url(self) -> str:
        return reverse("stop:live", query={"seen": self.mark, "offered": self.offered})


def shown(*, offered: str | None) -> Shown:
    """The stop in force and its receipt; or what a stop would hold up. `offered` None: whatever
    can be done now."""
    stop = reads.in_force()
    now = Shown(
        told=told([stop])[0] if stop else None,
        receipt=read_receipt(stop.stop_id) if stop else None,
        reach=None if stop else reads.reach(),
        unknown=attention.unknown_effects(),
        narrower=len(reads.narrower_in_force()),
        offered=offered or "",
    )
    return replace(now, offered=now.offer) if offered is None else now


def told(stops: Iterable[Placed]) -> tuple[Told, ...]:
    """The stops with the names of the people behind them."""
    kept = tuple(stops)
    speakers = [text for stop in kept for text in (stop.placed_by, stop.asked_by, stop.lifted_by)]
    names = actors.names(speakers)
    return tuple(
        Told(
            stop=stop,
            placed_by=_speaker(stop.placed_by, names),
            asked_by=_speaker(stop.asked_by, names) if stop.asked_by else None,
            lifted_by=_speaker(stop.lifted_by, names) if stop.lifted_by else None,
        )
        for stop in kept
    )


def _speaker(text: str, names: Mapping[int, str]) -> Actor:
    """A person; or whoever sat at the machine itself, by the name that they have there."""
    kind, _colon, name = text.partition(":")
    if kind == "command":
        return Actor(name=_("%(user)s, on the command line") % {"user": name}, kind="person")
    return actors.actor(text, names)


def read_receipt(stop_id: uuid.UUID) -> Receipt:
    """Raises NotFound for a stop that there never was."""
    told = api.halt_receipt(stop_id)
    named = reads.named(uuid.UUID(effect["effect_id"]) for effect in told["effects"])
    lines = [_line(effect, named) for effect in told["effects"]]
    lines.sort(key=lambda line: ORDER.index(line.told))
    counted = Counter(line.told for line in lines)
    return Receipt(
        lines=tuple(lines),
        counts=tuple((word, counted[word]) for word in ORDER),
        seconds=told["seconds_to_safe"],
    )


def _line(effect: Mapping[str, Any], named: Mapping[uuid.UUID, Named]) -> Line:
    at = effect["settled_at"]
    return Line(
        run_id=uuid.UUID(effect["run_id"]),
        told=effect["told"],
        outcome=effect["outcome"] or "",
        settled_at=datetime.fromisoformat(at) if at else None,
        named=named[uuid.UUID(effect["effect_id"])],
    )
