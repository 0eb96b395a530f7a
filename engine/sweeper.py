"""Find what a lost message missed."""

import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from . import conf
from . import versions as carried_over
from .errors import Conflict
from .store import alerts, escalating, exempting, proposals, runs, stops, versions

logger = logging.getLogger(__name__)


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
    ended = {"expired": _expire_overdue(), "reopened": _reopen_overdue()}
    ended["lapsed"] = _lapse_stopped() + _lapse_under_another_rule() + _lapse_no_longer_exempt()
    called = {"reminded": _remind(), "escalated": _escalate()}
    outdated = _wake_outdated()
    found = tuple(runs.runs_without_a_worker(conf.sweep_batch()))
    return Swept(runs=found, outdated=outdated, **ended, **called)


def _expire_overdue() -> int:
    overdue = proposals.overdue_proposals(conf.sweep_batch())
    return sum(_ended(proposals.expire_proposal_if_overdue, *each) for each in overdue)


def _lapse_stopped() -> int:
    """What was proposed or approved before a stop does not outlast it: it is asked anew."""
    stopped = stops.proposals_under_a_stop(conf.sweep_batch())
    return sum(_ended(stops.lapse_proposal_if_stopped, *each) for each in stopped)


def _lapse_under_another_rule() -> int:
    """The policy was changed: what was asked under a rule that holds no more is asked anew."""
    changed = proposals.proposals_under_another_rule(conf.sweep_batch())
    return sum(_ended(proposals.lapse_proposal_if_rule_changed, *each) for each in changed)


def _remind() -> int:
    due = escalating.proposals_to_remind_of(conf.sweep_batch())
    return sum(_ended(escalating.remind_of_proposal_if_due, *each) for each in due)


def _escalate() -> int:
    """Nobody has decided in time, or nobody is there who could: others are asked, too."""
    due = escalating.proposals_to_escalate(conf.sweep_batch())
    return sum(_ended(escalating.escalate_proposal_if_due, *each) for each in due)


def _lapse_no_longer_exempt() -> int:
    """An exemption has ended: what it let through and what was not sent is asked of people."""
    ended = exempting.proposals_no_longer_exempt(conf.sweep_batch())
    return sum(_ended(exempting.lapse_proposal_if_no_longer_exempt, *each) for each in ended)


def _reopen_overdue() -> int:
    overdue = alerts.overdue_alerts(conf.sweep_batch())
    return sum(_ended(alerts.reopen_alert_if_overdue, *each) for each in overdue)


def _wake_outdated() -> int:
    """Nobody shall decide what falls in any case."""
    older = carried_over.everything()
    return versions.wake_runs_to_carry_over(older, conf.sweep_batch()) if older else 0


def _ended(door: Callable[[uuid.UUID, uuid.UUID], bool], run: uuid.UUID, what: uuid.UUID) -> bool:
    """One that refuses must not keep the others from it."""
    try:
        return door(run, what)
    except Conflict as problem:
        logger.error("%s of run %s is due and refuses: %s", what, run, problem)
        return False
