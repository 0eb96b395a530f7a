"""Transitions of a run: one function here, one door in `runs.sql`, one commit."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from engine.db import as_json

from .doors import call, new, select

Told = Mapping[str, Any]


def start_run(
    run: uuid.UUID, actor: str, payload: bytes, checkpoint: Told, values: Sequence[bytes] = ()
) -> Told:
    """Accept a run: its first event and its first checkpoint."""
    return call("start_run", run, actor, payload, as_json(checkpoint), new(values))


def claim_run_if_free(run: uuid.UUID, owner: str, seconds: float) -> Told | None:
    """Claim a run that needs a worker; None when there is nothing to do for us."""
    return call("claim_run_if_free", run, owner, seconds)


def case_before(run: uuid.UUID, seq: int) -> Told:
    """The case once more, from the newest checkpoint before `seq`, or from the first event."""
    return call("case_before", run, seq)


def renew_lease_if_held(run: uuid.UUID, token: int, seconds: float) -> bool:
    """Renew a live lease; False when it is lost."""
    return call("renew_lease_if_held", run, token, seconds)


def release_lease_if_held(run: uuid.UUID, token: int, wake_seconds: float) -> bool:
    """Give a lease back without a transition; the sweep finds the run after `wake_seconds`."""
    return call("release_lease_if_held", run, token, wake_seconds)


def move_run(
    run: uuid.UUID,
    token: int,
    folded: int,
    kind: str,
    actor: str,
    payload: bytes,
    checkpoint: Told | None,
    values: Sequence[bytes] = (),
) -> Told:
    """The worker's plain transition: one event, and the run's own columns from its payload."""
    saved = as_json(checkpoint)
    return call("move_run", run, token, folded, kind, actor, payload, saved, new(values))


def resume_run(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """A person lets a paused run go on."""
    return call("resume_run", run, actor, payload)


def note_refused_request(run: uuid.UUID, actor: str, payload: bytes) -> None:
    """What an agent asked of its run and was refused is a fact of the run."""
    call("note_refused_request", run, actor, payload)


def runs_without_a_worker(limit: int) -> list[uuid.UUID]:
    """Runs that need a worker and have none, the longest waiting first."""
    return [row[0] for row in select("runs_without_a_worker", limit)]
