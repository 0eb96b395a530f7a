"""Find what a lost message missed."""

import uuid
from dataclasses import dataclass

from . import conf
from .store import proposals, runs


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
    return sum(proposals.expire_proposal_if_overdue(run, version) for run, version in overdue)
