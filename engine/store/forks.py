"""Forks: one function here, one door in `forks.sql`."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from engine.db import as_json

from .doors import call, new

Told = Mapping[str, Any]


def fork_run(
    origin: uuid.UUID,
    run: uuid.UUID,
    actor: str,
    payload: bytes,
    checkpoint: Told,
    values: Sequence[bytes] = (),
) -> Told:
    """Start a run as a fork of another whose effects are settled."""
    return call("fork_run", origin, run, actor, payload, as_json(checkpoint), new(values))


def effects_committed_after(run: uuid.UUID, seq: int) -> Sequence[Told]:
    """What that run committed after that seq, and still stands."""
    return call("effects_committed_after", run, seq)
