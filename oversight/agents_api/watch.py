"""One look for all who wait in this process: how far have the logs of their runs come?

Every change of a run is an event in its log, so its newest seq tells whether there is news. One
query at a time, on one connection that is given back at once, serves any number of them.
"""

import asyncio
import logging
import uuid
from collections.abc import Callable, Collection, Mapping

from django.db import connection

logger = logging.getLogger(__name__)

Look = Callable[[Collection[uuid.UUID]], Mapping[uuid.UUID, int]]

LOOK_SECONDS = 0.25
"""How long news may lie unseen. PostgreSQL could tell at once (NOTIFY), but then every commit of
the engine would queue for one lock of the whole server."""

PLACES = 500
"""How many may wait in one process at a time. Each costs an open connection to its client."""


def newest_events(run_ids: Collection[uuid.UUID]) -> Mapping[uuid.UUID, int]:
    """The newest seq of each of these runs, in a thread that keeps no connection afterwards."""
    # The models can be read only once Django is set up, and its shell is made before.
    from . import reads

    try:
        return reads.newest_events(run_ids)
    finally:
        connection.close()


class Watch:
    """Tells those who wait in one event loop that a run's log has grown."""

    def __init__(
        self, look: Look = newest_events, *, every: float = LOOK_SECONDS, places: int = PLACES
    ) -> None:
        self._look, self._every, self._places = look, every, places
        self._waiting: dict[asyncio.Future[None], tuple[uuid.UUID, int]] = {}
        self._rounds: asyncio.Task[None] | None = None

    @property
    def full(self) -> bool:
        """Is there no place left to wait at?"""
        return len(self._waiting) >= self._places

    def news(self, run_id: uuid.UUID, seq: int) -> asyncio.Future[None]:
        """Done once the run's log holds an event beyond `seq`; cancel it to wait no longer."""
        news = asyncio.get_running_loop().create_future()
        self._waiting[news] = (run_id, seq)
        news.add_done_callback(self._waiting.pop)
        if self._rounds is None or self._rounds.done():
            self._rounds = asyncio.create_task(self._look_around())
        return news

    async def _look_around(self) -> None:
        while self._waiting:
            await asyncio.sleep(self._every)
            run_ids = {run_id for run_id, _ in self._waiting.values()}
            self._tell(await asyncio.to_thread(self._seen, run_ids))

    def _seen(self, run_ids: Collection[uuid.UUID]) -> Mapping[uuid.UUID, int]:
        """The newest seqs; none where looking fails, for the next look may succeed."""
        try:
            return self._look(run_ids)
        except Exception as fault:
            logger.warning("nobody who waits could be told of news: %s", fault)
            return {}

    def _tell(self, newest: Mapping[uuid.UUID, int]) -> None:
        for news, (run_id, seq) in list(self._waiting.items()):
            if newest.get(run_id, seq) > seq and not news.done():
                news.set_result(None)
