"""A reviewer's edit of what an agent asked, as several tests make one."""

import json
from typing import Any

from engine import api
from engine.models import Proposal
from oversight.models import Person
from tests.cast import reviewer
from tests.world import Desk


def edit(desk: Desk, proposal: Proposal, *, by: Person | None = None, **changed: Any) -> None:
    """What was asked with other arguments; a key of `said` forges another part of it."""
    said: dict[str, Any] = {
        "version": proposal.version,
        "digest": proposal.digest,
        "reason": "The lamp cost less.",
    }
    said |= changed.pop("said", {})
    api.edit(
        proposal.run_id,
        proposal.pk,
        reviewer=reviewer(by or desk.people.rosa),
        arguments={**json.loads(bytes(proposal.arguments)), **changed},
        **said,
    )
