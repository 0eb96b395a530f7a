"""Whoever speaks of a version proves what they were shown of it, or the run's log is told."""

from collections.abc import Mapping
from typing import Any

from engine import api
from engine.errors import DigestMismatch
from oversight.pages.proposal import shown
from oversight.pages.proposal.reads import Version


def proven(
    item: Version, said: Mapping[str, Any], decision: str, reviewer: api.Reviewer
) -> Mapping[str, Any]:
    """What the page's own proof says. Raises DigestMismatch where it is none of this page, person
    and version; that somebody tried is then an event."""
    try:
        seen = shown.opened(said["displayed"], digest=said["digest"], person_id=reviewer.person_id)
        if said["digest"] != item.digest:
            raise DigestMismatch("The proof of what was displayed is for something else.")
        return seen
    except DigestMismatch as problem:
        api.note_refused_decision(
            item.run_id,
            item.id,
            reviewer=reviewer,
            proposal_id=item.proposal_id,
            version=item.version,
            decision=decision,
            why=problem.message,
        )
        raise
