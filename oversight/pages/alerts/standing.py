"""What stands of a run's effects, and what was taken back."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from oversight.reading.journeys import Journey


@dataclass(frozen=True, slots=True, kw_only=True)
class Stands:
    """One effect, the rollback of it if one was begun, and what that means in a word."""

    journey: Journey
    rollback: Journey | None
    words: str
    glyph: str
    tone: str


def of(told: Iterable[Journey]) -> tuple[Stands, ...]:
    """The effects in the order in which they began; what was never prepared changed nothing."""
    journeys = [journey for journey in told if journey.effect_id]
    rollbacks = {journey.compensates: journey for journey in journeys if journey.compensates}
    return tuple(
        _stands(journey, rollbacks.get(journey.effect_id))
        for journey in journeys
        if not journey.compensates
    )


def _stands(journey: Journey, rollback: Journey | None) -> Stands:
    words, glyph, tone = _word(journey, rollback)
    return Stands(journey=journey, rollback=rollback, words=words, glyph=glyph, tone=tone)


def _word(journey: Journey, rollback: Journey | None) -> tuple[str, str, str]:
    if journey.state == "compensated":
        return _("Taken back, and verified"), "back-ring", "good"
    if journey.state in ("failed", "lapsed", "prepared"):
        return _("Nothing happened"), "ring-dashed", "plain"
    if journey.state in ("unknown", "executing"):
        return _("Nobody can tell"), "question", "odd"
    if rollback is not None:
        return _("Stands: its rollback is not done"), "warning", "bad"
    if journey.state == "committed":
        return _("Stands, as approved"), "check-twice", "plain"
    return _("Stands, and is not committed"), "warning", "bad"
