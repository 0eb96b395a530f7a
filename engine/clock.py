"""What time it is by the database's clock, which alone decides: a machine's own may be wrong.

A worker learns how far its own clock is off whenever it claims a run. What it then says of times
to come, and judges of times that others have said, is reckoned by the database's.
"""

from contextvars import ContextVar
from datetime import UTC, datetime, timedelta

_off: ContextVar[timedelta] = ContextVar("off", default=timedelta())


def learn(at: str) -> None:
    """The database has just said that it is `at` (ISO 8601, with a zone)."""
    _off.set(datetime.fromisoformat(at) - datetime.now(UTC))


def now() -> datetime:
    return datetime.now(UTC) + _off.get()
