"""Requests and proposals: one function here, one door in `proposals.sql`."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from .doors import call, new, select, worker_door

Told = Mapping[str, Any]


def hear_agent(
    run: uuid.UUID,
    kind: str,
    actor: str,
    payload: bytes,
    values: Sequence[bytes] = (),
    *,
    hold_back: float,
) -> Told:
    """An agent asks for an effect, answers a question, or asks that the run be finished. For so
    many seconds, what was rejected is not asked again without naming that."""
    return call("hear_agent", run, kind, actor, payload, new(values), hold_back)


open_proposal = worker_door("open_proposal")
"""A worker opens a proposal version: frozen bytes, digest and key are fixed here."""


def withdraw_proposal(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """An agent takes its own proposal back, as long as nothing has been sent under it."""
    return call("withdraw_proposal", run, actor, payload)


def overdue_proposals(limit: int) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """(run, proposal version) of open proposals whose time has passed."""
    return [(row[0], row[1]) for row in select("overdue_proposals", limit)]


def expire_proposal_if_overdue(run: uuid.UUID, version: uuid.UUID) -> bool:
    """Expire an open version if its time has passed; False when it has not, or is decided."""
    return call("expire_proposal_if_overdue", run, version)


def proposals_under_another_rule(limit: int) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """(run, version id) of what is live and unsent, for which another rule holds now."""
    return [(run, version) for run, version in select("proposals_under_another_rule", limit)]


def lapse_proposal_if_rule_changed(run: uuid.UUID, version: uuid.UUID) -> bool:
    """Lapse this version if another rule holds for it; False when it does not, or it was sent."""
    return bool(call("lapse_proposal_if_rule_changed", run, version))


lapse_approval = worker_door("lapse_approval")
"""The approval no longer holds; an effect prepared under it was surely not sent."""
