"""Whoever decides has the world looked at once more, before they do."""

import uuid

from engine.canonical import packed
from engine.hints import hint
from engine.store import premises

from .who import Reviewer

AT_MOST_EVERY = 5.0
"""Seconds that lie between two such looks of one run at least."""


def look_again(run_id: uuid.UUID, version_id: uuid.UUID, *, reviewer: Reviewer) -> None:
    """Have a worker read the premises of an open version again. What it finds is an event; version
    and digest stay what they are.

    Raises NotFound; NotPermitted for who could not decide it; TooEarly where it was asked a moment
    ago; Conflict where it is not open.
    """
    facts = {
        "id": str(version_id),
        "person": reviewer.person_id,
        "person_name": reviewer.name,
        "at_most_every": AT_MOST_EVERY,
    }
    premises.ask_premises(run_id, reviewer.actor, packed(facts))
    hint(run_id)
