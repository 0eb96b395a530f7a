"""What an operator has rehearsed or drilled is kept under their name."""

import uuid

from engine import rehearsing
from engine.rehearsing import Played

from .who import Reviewer


def keep_rehearsal(played: Played, *, operator: Reviewer) -> uuid.UUID:
    """Keep a rehearsal that was played, with its time to expire. Raises NotPermitted."""
    return rehearsing.keep(
        played, actor=operator.actor, person_id=operator.person_id, name=operator.name
    )


def keep_drill(played: Played, *, operator: Reviewer) -> None:
    """Keep a drill of the stop that was played. Raises NotPermitted."""
    rehearsing.keep_drill(
        played, actor=operator.actor, person_id=operator.person_id, name=operator.name
    )
