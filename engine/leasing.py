"""The time-bound right to advance a run, and its renewal while work goes on.

Kept alive by one thread a process, and only while the run makes progress: a node or a call that
outlives its limit is not renewed, so that somebody else may take over.
Token and clock are the database's (see "How to do distributed locking", Kleppmann, 2016).
"""

import logging
import os
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from . import clock, conf
from .errors import PlacetError
from .store import runs

logger = logging.getLogger(__name__)

NODE_SECONDS = 60.0
"""How long a run may go without a transition before its lease is no longer renewed."""


@dataclass(slots=True, eq=False)
class Lease:
    """A claim on one run. `token` grows with every claim and is carried by every write."""

    run_id: uuid.UUID
    token: int
    owner: str
    limit: float = field(default_factory=lambda: time.monotonic() + NODE_SECONDS)
    due: float = field(default_factory=lambda: time.monotonic() + conf.lease_seconds() / 3)

    def worked(self) -> None:
        """A transition was made: the run is alive, whatever it does next has its own limit."""
        self.limit = time.monotonic() + NODE_SECONDS

    def calls(self, seconds: float) -> None:
        """A call of at most so many seconds begins; one that outlives them is not renewed."""
        self.limit = time.monotonic() + seconds

    def renew(self) -> bool:
        """Renew in the database; False when the lease is lost or has outlived its limit."""
        if time.monotonic() > self.limit:
            return False
        self.due = time.monotonic() + conf.lease_seconds() / 3
        return runs.renew_lease_if_held(self.run_id, self.token, conf.lease_seconds())


def claim(run_id: uuid.UUID, owner: str) -> tuple[Lease, Mapping[str, Any]] | None:
    """Claim a run that needs a worker: the lease and the case; None when there is nothing to do."""
    case = runs.claim_run_if_free(run_id, owner, conf.lease_seconds())
    if case is None:
        return None
    clock.learn(case["events"][-1]["at"])
    return Lease(run_id=run_id, token=case["token"], owner=owner), case


@contextmanager
def kept(lease: Lease) -> Iterator[Lease]:
    """Renew the lease while the block runs."""
    keeper = _keeper()
    keeper.keep(lease)
    try:
        yield lease
    finally:
        keeper.drop(lease)


class _Keeper:
    """One thread that renews every lease of this process when it falls due."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._leases: set[Lease] = set()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="lease-keeper", daemon=True)
        self._thread.start()

    def keep(self, lease: Lease) -> None:
        with self._changed:
            self._leases.add(lease)
            self._changed.notify()

    def drop(self, lease: Lease) -> None:
        with self._changed:
            self._leases.discard(lease)

    def _run(self) -> None:
        while True:
            for lease in self._wait_for_due():
                self._renew(lease)

    def _wait_for_due(self) -> list[Lease]:
        with self._changed:
            now = time.monotonic()
            due = [lease for lease in self._leases if lease.due <= now]
            if not due:
                soonest = min((lease.due for lease in self._leases), default=None)
                self._changed.wait(None if soonest is None else soonest - now)
            return due

    def _renew(self, lease: Lease) -> None:
        try:
            if not lease.renew():
                self.drop(lease)
        except PlacetError as problem:  # the next turn tries again, on a fresh connection
            logger.warning("lease of run %s not renewed: %s", lease.run_id, problem)
            connection.close()


_one: _Keeper | None = None


def _keeper() -> _Keeper:
    """This process's keeper; a forked child makes its own."""
    global _one
    if _one is None or _one.pid != os.getpid():
        _one = _Keeper()
    return _one
