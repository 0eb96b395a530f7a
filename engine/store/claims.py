"""Claims on proposals: one function here, one door in `claims.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call

Told = Mapping[str, Any]


def claim_proposal(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """Claim a version, renew one's own claim, or take over that of the person in `from`."""
    return call("claim_proposal", run, actor, payload)


def release_claim(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """Let go of one's own claim."""
    return call("release_claim", run, actor, payload)
