"""How often a key may be used: a token bucket for each, one statement in the database.

A bucket is stored as the moment at which it will be full again (the "generic cell rate algorithm",
ITU-T I.371): each request moves that on by 1 / PER_SECOND, and is refused once it would lie further
ahead than an empty bucket takes to fill. All web processes share the rows; the table is unlogged,
so counting waits for no disk, and after a crash of the database every bucket is full.
"""

from django.db import connection

from .refusals import TooManyRequests

BURST = 200
"""Requests that a key may make at once."""

PER_SECOND = 50
"""Requests a second that it may make for ever."""

_COUNT = """
INSERT INTO oversight_pace AS pace (key_id, full_at)
VALUES (%(key)s, clock_timestamp() + %(step)s * interval '1 s')
ON CONFLICT (key_id) DO UPDATE
   SET full_at = greatest(pace.full_at, clock_timestamp()) + %(step)s * interval '1 s'
 WHERE pace.full_at <= clock_timestamp() + (%(burst)s - 1) * %(step)s * interval '1 s'
RETURNING 1
"""


def count(key_id: str) -> None:
    """Count one request. Raises TooManyRequests where the bucket is empty; a second later it holds
    PER_SECOND again."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": key_id, "step": 1 / PER_SECOND, "burst": BURST})
        if cursor.fetchone() is None:
            raise TooManyRequests(f"At most {BURST} requests at once and {PER_SECOND} a second.")
