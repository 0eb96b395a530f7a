"""What the log says of one alert: raised, perhaps more than once, taken on, dealt with."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from oversight.pages.alerts.reads import Raised
from oversight.reading.actors import actor
from oversight.reading.log import Logged
from oversight.showing.timeline import Entry

KINDS = (
    "alert_raised",
    "alert_acknowledged",
    "alert_reopened",
    "alert_resolved",
    "resume_requested",
)
"""The kinds of events that tell an alert's history, and what was done about its run."""

Facts = Mapping[str, Any]
Said = tuple[str, str, str, str]
"""Words, sign, tone and detail."""


def of_alert(log: Iterable[Logged], alert: Raised) -> tuple[Logged, ...]:
    """Its own events. What is raised again under another id, while it is not resolved, is it."""
    return tuple(_own(log, alert))


def _own(log: Iterable[Logged], alert: Raised) -> Iterator[Logged]:
    about, mine, over = (alert.kind, str(alert.effect_id or "")), False, False
    for event in log:
        facts = event.facts
        if event.kind == "alert_raised" and not over:
            same = (facts.get("kind"), str(facts.get("effect_id") or "")) == about
            mine = mine or facts.get("alert_id") == str(alert.alert_id)
            if mine and same:
                yield event
        elif event.kind == "resume_requested" and mine and not over:
            yield event
        elif facts.get("alert_id") == str(alert.alert_id):
            yield event
            over = over or event.kind == "alert_resolved"


def entries(log: Iterable[Logged], names: Mapping[int, str]) -> tuple[Entry, ...]:
    return tuple(_entry(event, names, first=number == 0) for number, event in enumerate(log))


def _entry(event: Logged, names: Mapping[int, str], *, first: bool) -> Entry:
    said, glyph, tone, detail = _TOLD[event.kind](event.facts)
    if event.kind == "alert_raised" and not first:
        said = _("Raised again")
    who = actor(event.actor, names)
    return Entry(
        at=event.at,
        words=said,
        actor=who.name,
        actor_kind=who.kind,
        glyph=glyph,
        tone=tone,
        detail=detail,
        seq=event.seq,
        seq_url=event.url,
    )


def _raised(facts: Facts) -> Said:
    return _("Raised"), "warning", "bad", facts["summary"]


def _acknowledged(facts: Facts) -> Said:
    detail = _("Cause: %(cause)s\nNext step: %(step)s") % {
        "cause": facts["cause"],
        "step": facts["next_step"],
    }
    return _("Took it on"), "eye", "wait", detail


def _reopened(facts: Facts) -> Said:
    detail = _("%(person)s had taken it on.") % {"person": facts["acknowledged_by"]}
    return _("Open again: the time for it has run out"), "warning", "bad", detail


def _resolved(facts: Facts) -> Said:
    return _("Dealt with it"), "check-ring", "good", facts["resolution"]


def _resumed(facts: Facts) -> Said:
    return _("Let the run go on"), "play", "info", facts["reason"]


_TOLD: Mapping[str, Callable[[Facts], Said]] = {
    "alert_raised": _raised,
    "alert_acknowledged": _acknowledged,
    "alert_reopened": _reopened,
    "alert_resolved": _resolved,
    "resume_requested": _resumed,
}
