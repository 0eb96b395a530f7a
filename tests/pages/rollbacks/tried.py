"""A rehearsal as it is kept, for pages: what it says is made up, who keeps it is not."""

import uuid
from datetime import timedelta

from engine import api
from engine.rehearsing import Assertion, Moment, Played, now
from tests.cast import reviewer
from tests.world import Desk


def rehearsed(desk: Desk, *, holds: bool = True, days_ago: int = 0) -> uuid.UUID:
    """A rehearsal of the refund, by Otto."""
    ended = now() - timedelta(days=days_ago)
    played = Played(
        action="ledger.refund",
        action_version=1,
        run_id=desk.start_run(),
        started_at=ended - timedelta(seconds=30),
        ended_at=ended,
        recovery_seconds=4.2,
        timeline=[Moment(at=ended.isoformat(), what="Approved", detail="by <b>Rosa</b>")],
        assertions=[Assertion(what="The target is as it was", holds=holds, detail="1.00 is not")],
    )
    return api.keep_rehearsal(played, operator=reviewer(desk.people.otto))
