"""Which rollback plans are to be rehearsed again: those whose last rehearsal counts no more."""

from datetime import datetime, timedelta

from engine import actions, conf, rehearsing
from engine.actions import Action
from oversight.reading import rehearsals
from oversight.reading.rehearsals import Rehearsed

AHEAD = 0.1
"""A pass is renewed when a tenth of its time is left, so that there is always one that counts."""

AGAIN = timedelta(days=1)
"""After one that failed: often enough to see it mended, seldom enough to be read."""


def due(now: datetime) -> list[type[Action]]:
    """Every action that can be rehearsed and has to be, those that wait longest first."""
    latest = rehearsals.latest()
    can = [action for action in actions.registered() if not rehearsing.why_not(action)]
    owing = [(latest.get((a.name, a.version)), a) for a in can]
    found = [(last, a) for last, a in owing if last is None or is_due(last, now)]
    return [a for _last, a in sorted(found, key=lambda each: _since(each[0]))]


def is_due(last: Rehearsed, now: datetime) -> bool:
    if last.result == "failed":
        return last.ended_at <= now - AGAIN
    return last.expires_at <= now + AHEAD * timedelta(seconds=conf.rehearsal_seconds())


def _since(last: Rehearsed | None) -> float:
    return 0.0 if last is None else last.ended_at.timestamp()
