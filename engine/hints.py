"""Say that a run may need a worker. Best effort: what gets lost, the sweep finds."""

import logging
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction

logger = logging.getLogger(__name__)

_send: Callable[[uuid.UUID], None] | None = None


def deliver_through(send: Callable[[uuid.UUID], None]) -> None:
    """Set how hints travel; done once, at start-up."""
    global _send
    _send = send


def hint(run_id: uuid.UUID) -> None:
    """Send the hint when the transaction around it, if any, has committed."""
    transaction.on_commit(lambda: _deliver(run_id))


def hint_at(told: Mapping[str, Any]) -> None:
    """Hint at every run that a door says needs it."""
    for run_id in told.get("hints", ()):
        hint(uuid.UUID(run_id))


def _deliver(run_id: uuid.UUID) -> None:
    if _send is None:
        return
    try:
        _send(run_id)
    except Exception as problem:
        logger.warning("hint for run %s not sent (%s); the sweep will find it", run_id, problem)
