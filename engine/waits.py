"""What a node may have its run wait for: an event from outside, or a time.

Every wait ends: one for an event has an expiry and says where the run goes then, and a time comes.
A wall-clock time is resolved when the wait begins, by the zone's rules of that day
(https://data.iana.org/time-zones/): one that a change to summer time leaves out is the first
instant after the gap, one that comes twice is the first of the two.
"""

import re
import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .canonical import check

EVENT_NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}")
LONGEST_KEY = 200
_SECOND = timedelta(seconds=1)

Local = datetime | date | time


@dataclass(frozen=True, slots=True, kw_only=True)
class Wall:
    """What the clocks of a zone ("Europe/Berlin") show: a datetime without a zone, a date (its
    first instant), or a time (the next time they show it)."""

    zone: str
    shown: Local


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Wait for an event (`name`, `key`) or a time; go on at `then`.

    `end` is a length of time, an instant, or what some clocks show. Where an event does not come
    by then, the run goes on at `otherwise`; without that it is cancelled.
    """

    then: str
    end: timedelta | datetime | Wall
    otherwise: str | None = None
    name: str | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.end, timedelta | datetime | Wall):
            raise ValueError("A wait needs an end: an expiry, or a time.")
        if isinstance(self.end, datetime) and self.end.tzinfo is None:
            raise ValueError("A time without a zone says nothing; use at_local for wall clocks.")
        if self.name is not None:
            _check_event(self.name, self.key)

    def begun(self, now: datetime) -> dict[str, Any]:
        """The facts of a wait that begins `now`: its end is an instant from here on."""
        facts = {
            "wait_id": str(uuid.uuid4()),
            "what": "time" if self.name is None else "event",
            "name": self.name,
            "key": self.key,
            "until": ends(self.end, now).astimezone(UTC).isoformat(),
            "zone": self.end.zone if isinstance(self.end, Wall) else None,
            "then": self.then,
            "otherwise": self.otherwise,
        }
        return {name: value for name, value in facts.items() if value is not None}


def wait_for(
    name: str, *, key: str, then: str, expires: timedelta, otherwise: str | None = None
) -> Wait:
    """Wait for the event `name` about `key`; the node `then` finds it in `ctx.event`.

    Where it does not come within `expires`, the run goes on at `otherwise`; without that it is
    cancelled. An event that came before is taken at once. Give keys that name one thing.
    """
    if not isinstance(expires, timedelta) or expires <= timedelta():
        raise ValueError(f"The wait for {name!r} needs an expiry, as a timedelta above nothing.")
    return Wait(name=name, key=key, then=then, end=expires, otherwise=otherwise)


def sleep_for(length: timedelta, *, then: str) -> Wait:
    """Wait so long."""
    return Wait(end=length, then=then)


def sleep_until(moment: datetime, *, then: str) -> Wait:
    """Wait until an instant: a datetime with a zone."""
    return Wait(end=moment, then=then)


def at_local(zone: str, shown: Local, *, then: str) -> Wait:
    """Wait until the clocks of a zone show this: see `Wall`."""
    return Wait(end=Wall(zone=zone, shown=shown), then=then)


def ends(end: timedelta | datetime | Wall, now: datetime) -> datetime:
    """The instant of that end, for a wait that begins `now`."""
    match end:
        case timedelta():
            return now + end
        case datetime():
            return end
        case Wall():
            return _shown(_rules(end.zone), end.shown, now)


def _shown(rules: ZoneInfo, shown: Local, now: datetime) -> datetime:
    match shown:
        case time():
            return _next(rules, shown, now)
        case datetime():
            return _resolved(rules, shown)
        case date():
            return _resolved(rules, datetime.combine(shown, time()))


def _next(rules: ZoneInfo, when: time, now: datetime) -> datetime:
    """Today, or tomorrow where it is over today."""
    today = now.astimezone(rules).date()
    days = (today + timedelta(days=ahead) for ahead in range(3))
    moments = (_resolved(rules, datetime.combine(day, when)) for day in days)
    return next(moment for moment in moments if moment > now)


def _resolved(rules: ZoneInfo, wall: datetime) -> datetime:
    if wall.tzinfo is not None:
        raise ValueError("A wall-clock time has no zone of its own; use sleep_until for instants.")
    first = wall.replace(tzinfo=rules, fold=0).astimezone(UTC)
    if first.astimezone(rules).replace(tzinfo=None, fold=0) == wall.replace(fold=0):
        return first
    return _end_of_gap(rules, wall.replace(tzinfo=rules, fold=1).astimezone(UTC), first)


def _end_of_gap(rules: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The instant between the two at which the clocks were put forward, to the second."""
    offset = before.astimezone(rules).utcoffset()
    before, after = before.replace(microsecond=0), after.replace(microsecond=0)
    while after - before > _SECOND:
        middle = before + timedelta(seconds=(after - before) // _SECOND // 2)
        if middle.astimezone(rules).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after


def _rules(zone: str) -> ZoneInfo:
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as problem:
        raise ValueError(f"There is no time zone {zone!r} here.") from problem


def _check_event(name: str, key: str | None) -> None:
    if not EVENT_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for an event: letters, digits, '_', '.' and '-'.")
    if not isinstance(key, str) or not 1 <= len(key) <= LONGEST_KEY:
        raise ValueError(f"The key of {name!r} is a text of 1 to {LONGEST_KEY} characters.")
    check(key, "key")
