"""Reminders and escalations: one function here, one door in `escalating.sql`."""

import uuid

from .doors import call, select


def proposals_to_remind_of(limit: int) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """(run, version id) of open proposals of which it is time to remind."""
    return [(run, version) for run, version in select("proposals_to_remind_of", limit)]


def remind_of_proposal_if_due(run: uuid.UUID, version: uuid.UUID) -> bool:
    """Remind of an open version, once; False when it is not time, or was done."""
    return bool(call("remind_of_proposal_if_due", run, version))


def proposals_to_escalate(limit: int) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """(run, version id) of open proposals whose time to escalate has come, or that nobody is there
    to decide."""
    return [(run, version) for run, version in select("proposals_to_escalate", limit)]


def escalate_proposal_if_due(run: uuid.UUID, version: uuid.UUID) -> bool:
    """Ask the fallback group, too, once; False when it is not time and somebody is there."""
    return bool(call("escalate_proposal_if_due", run, version))
