"""What exemptions let through: one function here, one door in `exempting.sql`."""

import uuid

from .doors import call, select


def proposals_no_longer_exempt(limit: int) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """(run, version id) of what was let through by an exemption that has ended, and not sent."""
    return [(run, version) for run, version in select("proposals_no_longer_exempt", limit)]


def lapse_proposal_if_no_longer_exempt(run: uuid.UUID, version: uuid.UUID) -> bool:
    """Lapse such a version; False when its exemption stands, or it was sent."""
    return bool(call("lapse_proposal_if_no_longer_exempt", run, version))
