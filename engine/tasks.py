"""Celery's side of the engine. A message carries a run's id and is a hint; the row is the truth."""

import logging
import uuid

from celery import shared_task

from . import hints, sweeper, worker
from .errors import Unavailable
from .noting import noted

logger = logging.getLogger(__name__)


@shared_task(name="engine.tasks.advance", ignore_result=True, acks_late=False)
def advance(run_id: str) -> None:
    """Advance one run until it waits."""
    with noted(run=run_id):
        try:
            done = worker.run_once(uuid.UUID(run_id))
        except Unavailable as problem:
            logger.warning("run %s: %s The sweep will find it.", run_id, problem)
        else:
            logger.info("run %s: %s", run_id, done.outcome)


@shared_task(name="engine.tasks.sweep", ignore_result=True, acks_late=False)
def sweep() -> None:
    """Find what a lost message missed, and hint at it again."""
    try:
        found = sweeper.run_once().runs
    except Unavailable as problem:
        logger.warning("no sweep: %s The next one is due soon.", problem)
        return
    for run_id in found:
        hints.hint(run_id)


def send(run_id: uuid.UUID) -> None:
    advance.apply_async((str(run_id),), retry=False)
