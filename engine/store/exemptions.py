"""Standing exemptions: one function here, one door in `exemptions.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call

Told = Mapping[str, Any]


def why_not_exempt(person: int, exemption: uuid.UUID) -> str | None:
    """Why this person may not approve this exemption now; None when they may."""
    return call("why_not_exempt", person, exemption)


def propose_exemption(actor: str, payload: bytes) -> Told:
    """Propose an exemption. It lets nothing through yet."""
    return call("propose_exemption", actor, payload)


def approve_exemption(actor: str, payload: bytes, session: str = "") -> Told:
    """One person's approval of exactly the exemption that its digest names."""
    return call("approve_exemption", actor, payload, session)


def step_up_for_exemption(actor: str, payload: bytes, session: str, seconds: float) -> Told:
    """Keep that somebody has shown a second factor, to approve one exemption in one session."""
    return call("step_up_for_exemption", actor, payload, session, seconds)


def end_exemption(actor: str, payload: bytes) -> None:
    """End an exemption; drop one that does not stand yet."""
    call("end_exemption", actor, payload)
