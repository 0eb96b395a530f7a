"""Find what a lost message missed."""

import logging
import uuid
from dataclasses import dataclass

from . import conf
from .errors import Conflict
from .store import proposals, runs

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one sweep found: runs without a worker, and how many proposals it expired."""

    runs: tuple[uuid.UUID, ...]
    expired: int


def run_once() -> Swept:
    """Expire what is overdue, then name every run that needs a worker and has none."""
    expired = _expire_overdue()
    found = tuple(runs.runs_without_a_worker(conf.sweep_batch()))
    return Swept(runs=found, expired=expired)


def _expire_overdue() -> int:
    overdue = proposals.overdue_proposals(conf.sweep_batch())
    return sum(_expired(run, version) for run, version in overdue)


def _expired(run: uuid.UUID, version: uuid.UUID) -> bool:
    """One that cannot be expired must not keep the others from it."""
    try:
        return proposals.expire_proposal_if_overdue(run, version)
    except Conflict as problem:
        logger.error("proposal version %s does not expire: %s", version, problem)
        return False
