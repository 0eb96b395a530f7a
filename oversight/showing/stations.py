"""How far one effect has come: seven stations from proposed to committed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

STATIONS: Mapping[str, Promise] = {
    "proposed": _("Proposed"),
    "decided": _("Decided"),
    "prepared": _("Prepared"),
    "executed": _("Executed"),
    "recorded": _("Recorded"),
    "verified": _("Verified"),
    "committed": _("Committed"),
}

PLACES: Mapping[str, Promise] = {
    "done": _("done"),
    "here": _("it stands here"),
    "halted": _("it ended here"),
    "ahead": _("not reached"),
}

_GLYPHS = {"done": "check", "here": "ring-dot", "halted": "cross", "ahead": "ring-dashed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """One station. `place` is done, here, halted or ahead; `note` is its own word, if any."""

    name: str
    word: str | Promise
    place: str
    at: datetime | None
    note: str | Promise
    glyph: str
    tone: str

    @property
    def place_word(self) -> str | Promise:
        return PLACES[self.place]


def stations(
    reached: Mapping[str, datetime | None],
    *,
    halted: bool = False,
    note: str | Promise = "",
    glyph: str = "",
    tone: str = "",
) -> tuple[Station, ...]:
    """The stations of an effect that has passed those `reached`, with the time of each if known.

    The first one not reached is where it stands; `halted` says that it will go no further, and
    `note`, `glyph` and `tone` say why (Rejected, Unknown). Raises ValueError for a station that
    does not exist.
    """
    strange = set(reached) - set(STATIONS)
    if strange:
        raise ValueError(f"no such station: {', '.join(sorted(strange))}")
    front = next((name for name in STATIONS if name not in reached), None)
    places = {name: _place(name, reached, front, halted) for name in STATIONS}
    return tuple(
        Station(
            name=name,
            word=word,
            place=places[name],
            at=reached.get(name),
            note=note if name == front else "",
            glyph=(glyph if name == front and glyph else _GLYPHS[places[name]]),
            tone=tone if name == front else "",
        )
        for name, word in STATIONS.items()
    )


def _place(name: str, reached: Mapping[str, object], front: str | None, halted: bool) -> str:
    if name == front:
        return "halted" if halted else "here"
    return "done" if name in reached else "ahead"
