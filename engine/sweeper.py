"""Find what a lost message missed."""

import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from . import conf
from .errors import Conflict
from .store import alerts, proposals, runs

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one sweep found: runs without a worker, how many proposals it expired, and how many
    alerts it opened again."""

    runs: tuple[uuid.UUID, ...]
    expired: int
    reopened: int


def run_once() -> Swept:
    """End what is overdue, then name every run that needs a worker and has none."""
    expired, reopened = _expire_overdue(), _reopen_overdue()
    found = tuple(runs.runs_without_a_worker(conf.sweep_batch()))
    return Swept(runs=found, expired=expired, reopened=reopened)


def _expire_overdue() -> int:
    overdue = proposals.overdue_proposals(conf.sweep_batch())
    return sum(_ended(proposals.expire_proposal_if_overdue, *each) for each in overdue)


def _reopen_overdue() -> int:
    overdue = alerts.overdue_alerts(conf.sweep_batch())
    return sum(_ended(alerts.reopen_alert_if_overdue, *each) for each in overdue)


def _ended(door: Callable[[uuid.UUID, uuid.UUID], bool], run: uuid.UUID, what: uuid.UUID) -> bool:
    """One that does not end must not keep the others from it."""
    try:
        return door(run, what)
    except Conflict as problem:
        logger.error("%s of run %s is overdue and does not end: %s", what, run, problem)
        return False
