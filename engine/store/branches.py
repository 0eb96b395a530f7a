"""Runs as branches of another: one name here, one door in `branches.sql`, one commit."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.db import as_json

from .doors import WorkerDoor, call, new, worker_door

Told = Mapping[str, Any]


def begin_branches(branches: Sequence[Told]) -> WorkerDoor:
    """The door through which a run branches into these, and waits for them."""

    def door(
        run: uuid.UUID,
        token: int,
        folded: int,
        actor: str,
        payload: bytes,
        checkpoint: Mapping[str, Any] | None,
        values: Sequence[bytes] = (),
    ) -> Told:
        held, saved = (run, token, folded, actor), as_json(checkpoint)
        begun = as_json(branches)
        return call("begin_branches", *held, payload, saved, new(values), begun)

    return door


park_for_branches = worker_door("park_for_branches")
"""Park; {"behind": []} and nothing written when no branch lives any more."""


def ends_of_branches(runs: Iterable[uuid.UUID]) -> Mapping[str, Told]:
    """By run: {"status", "reason_code", "ended"}."""
    return call("ends_of_branches", list(runs))


join_branches = worker_door("join_branches")
"""The run has what its branches have come to. Refused while one lives."""

recall_branches = worker_door("recall_branches")
"""Branches whose time is up are asked to end; "hints" names those that heard it."""
