"""The Celery application: `celery -A oversight worker`, `celery -A oversight beat`.

A message is a hint and carries nothing but a run's id; the row in the database is the truth. So
there is no result, no retry and no schedule here beyond the sweep's and that of rehearsals.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from celery import Celery, signals
from kombu import Connection

from engine import draining

logger = logging.getLogger(__name__)


def _process_name() -> str | None:
    """Return `worker` or `beat` if this process was started as one, by Celery's command."""
    program = Path(sys.argv[0])
    if program.name != "celery" and program.parent.name != "celery":
        return None
    return next((name for name in ("worker", "beat") if name in sys.argv), None)


if _name := _process_name():
    os.environ["PLACET_PROCESS"] = _name
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "oversight.settings")

app = Celery("oversight")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.setup_logging.connect
def _leave_logging_to_django(**_: Any) -> None:
    """Celery sets up no logging of its own once something listens to this signal."""


@signals.worker_shutting_down.connect
def _hand_runs_over(**_: Any) -> None:
    """Asked to end, a worker waits for its tasks; a long run is left to another worker."""
    draining.begin()


@signals.task_prerun.connect
def _replace_broken_connection(**_: Any) -> None:
    """Ask once before each task whether the connection still answers, and drop it if not.

    A restarted database then costs the tasks that were under way, and no later one.
    """
    from django.db import connections

    for connection in connections.all(initialized_only=True):
        connection.close_if_unusable_or_obsolete()
        connection.close_if_health_check_failed()


@contextmanager
def reached() -> Iterator[Connection]:
    """The broker. Raises whatever its client raises if it does not answer within a second."""
    with app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, timeout=1)
        yield broker


def waiting_at(broker: Connection) -> int:
    """How many messages no worker has taken yet."""
    try:
        queue = app.conf.task_default_queue
        return int(broker.default_channel.queue_declare(queue, passive=True).message_count)
    except broker.channel_errors:  # nothing was ever sent, or Redis holds no empty list
        return 0


@app.task(name="oversight.rehearse", ignore_result=True, acks_late=False)
def rehearse() -> None:
    """Rehearse the rollback plans that are due; what failed is kept, and the page says so."""
    from django.conf import settings
    from django.core.management import call_command

    if settings.PLACET_REHEARSE_AS is None:
        return
    operator, *reviewers = settings.PLACET_REHEARSE_AS
    try:
        call_command("rehearse", due=True, operator=operator, reviewer=reviewers)
    except SystemExit:
        logger.warning("a rehearsal failed; the page of rollback plans tells what did not hold")
