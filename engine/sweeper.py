"""Find what a lost message missed."""

import logging
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from . import conf
from . import versions as carried_over
from .errors import Conflict
from .store import alerts, escalating, exempting, proposals, runs, stops, versions

logger = logging.getLogger(__name__)

Find = Callable[[int], Iterable[tuple[uuid.UUID, uuid.UUID]]]
"""Names so many at the most of what is due: the run, and what of it."""

Door = Callable[[uuid.UUID, uuid.UUID], bool]
"""Does to one of them what is due, and says whether it was still to be done."""

_DUE: Mapping[str, Sequence[tuple[Find, Door]]] = {
    "expired": [(proposals.overdue_proposals, proposals.expire_proposal_if_overdue)],
    "reopened": [(alerts.overdue_alerts, alerts.reopen_alert_if_overdue)],
    "lapsed": [
        (stops.proposals_under_a_stop, stops.lapse_proposal_if_stopped),
        (proposals.proposals_under_another_rule, proposals.lapse_proposal_if_rule_changed),
        (exempting.proposals_no_longer_exempt, exempting.lapse_proposal_if_no_longer_exempt),
    ],
    "reminded": [(escalating.proposals_to_remind_of, escalating.remind_of_proposal_if_due)],
    "escalated": [(escalating.proposals_to_escalate, escalating.escalate_proposal_if_due)],
}
"""What a sweep does, in this order. What has lapsed is asked anew by its run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one sweep found: runs without a worker, how many proposals it expired, how many it
    reminded of, how many it escalated, how many it lapsed under a stop or another rule or since
    their exemption has ended, how many alerts it opened again, and how many runs it woke since
    their proposals will fall under this code."""

    runs: tuple[uuid.UUID, ...]
    expired: int
    reminded: int
    escalated: int
    lapsed: int
    reopened: int
    outdated: int


def run_once() -> Swept:
    """End what is overdue, then name every run that needs a worker and has none."""
    done = {what: sum(_through(*each) for each in doors) for what, doors in _DUE.items()}
    outdated = _wake_outdated()
    found = tuple(runs.runs_without_a_worker(conf.sweep_batch()))
    return Swept(runs=found, outdated=outdated, **done)


def _through(find: Find, door: Door) -> int:
    return sum(_done(door, *each) for each in find(conf.sweep_batch()))


def _wake_outdated() -> int:
    """Nobody shall decide what falls in any case."""
    older = carried_over.everything()
    return versions.wake_runs_to_carry_over(older, conf.sweep_batch()) if older else 0


def _done(door: Door, run: uuid.UUID, what: uuid.UUID) -> bool:
    """One that refuses must not keep the others from it."""
    try:
        return door(run, what)
    except Conflict as problem:
        logger.error("%s of run %s is due and refuses: %s", what, run, problem)
        return False
