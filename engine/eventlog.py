"""The log of a held run: append to it through the doors, fold what others appended."""

import json
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import checkpointing, references, values
from .canonical import as_stored
from .concealing import without_secrets
from .errors import Damaged, DamagedCheckpoint
from .folding import fold
from .hashing import event_hash, payload_hash
from .leasing import Lease
from .references import Kept
from .states import WORKER, WORKING
from .store import alerts, branches, control, effects, inbound, proposals, runs, versions
from .store.doors import WorkerDoor
from .types import Event, Facts, Position

ACTOR = WORKER

NOTHING = "00" * 32
"""The hash before the first event of a log."""

_DOORS: Mapping[str, WorkerDoor] = {
    "proposal_opened": proposals.open_proposal,
    "approval_lapsed": proposals.lapse_approval,
    "proposal_retracted": control.retract_proposal,
    "effect_prepared": effects.prepare_effect,
    "effect_intended": effects.intend_effect,
    "effect_recorded": effects.record_effect,
    "effect_reconciled": effects.reconcile_effect,
    "effect_verified": effects.verify_effect,
    "effect_committed": effects.commit_effect,
    "alert_raised": alerts.raise_alert,
    "wait_begun": inbound.begin_wait,
    "versions_carried_over": versions.carry_over,
    "branches_joined": branches.join_branches,
    "branches_recalled": branches.recall_branches,
}
"""Kinds with a door of their own; every other kind is a plain move of the run."""


_TELL_TIME = frozenset(
    {"run_moved", "run_parked", "run_paused", "run_ended", "node_failed", "effect_committed"}
)
"""Events that say how many whole seconds the worker has worked since the last of them."""


class Behind(Exception):
    """The log has grown: nothing was written, the news is folded, decide again."""


class Log:
    """A held run: where it stands, and the only way to move it."""

    def __init__(self, lease: Lease, position: Position) -> None:
        self.lease = lease
        self.position = position
        self.parked = False
        self.damaged: tuple[str, ...] = ()
        self._checkpointed = position.seq
        self._new: dict[str, Kept] = {}
        self._since = time.monotonic()

    def worked(self) -> int:
        """Whole seconds since this worker last told how long it had worked."""
        return int(time.monotonic() - self._since)

    def write(
        self, kind: str, facts: Facts, *, boundary: bool = False, through: WorkerDoor | None = None
    ) -> Mapping[str, Any]:
        """Make one transition, through another door than the kind's own where one is named.
        Raises Behind when others have written meanwhile."""
        if (worked := self.worked()) and kind in _TELL_TIME:
            facts = {**facts, "worked": worked}
        facts, payload = as_stored(without_secrets(facts))
        after = fold(self.position, self._draft(kind, facts))
        boundary = boundary or after.seq - self._checkpointed >= checkpointing.EVERY
        after, checkpoint = self._saved(after) if boundary else (after, None)
        door, new = through or _DOORS.get(kind), self._first_named()
        told = self._through_door(door, kind, payload, checkpoint, [one.body for one in new])
        if "behind" in told:
            self._catch_up(told["behind"])
            raise Behind
        self._remember(new)
        self.position = replace(after, head=told["head"])
        self._since += facts.get("worked", 0)
        self._checkpointed = after.seq if boundary else self._checkpointed
        self.parked = after.status not in WORKING or facts.get("wake_at") is not None
        self.lease.worked()
        return told

    def insist(self, kind: str, facts: Facts, *, boundary: bool = False) -> Mapping[str, Any]:
        """Write what has happened, however many facts came in between."""
        while True:
            try:
                return self.write(kind, facts, boundary=boundary)
            except Behind:
                continue

    def begin(self) -> None:
        """A move begins: what an earlier one would have kept is kept no more."""
        self._new.clear()

    def lightened(self, facts: Facts, texts: Mapping[str, bytes] | None = None) -> Facts:
        """`facts` with references for the largest values where they are too large together. What
        they name is kept with the next transition. `texts` has them packed."""
        clean = without_secrets(facts)
        if texts is None or clean is not facts:
            texts = values.texts(clean)
        lighter, kept = references.lightened(clean, texts)
        self._new |= {one.name: one for one in kept}
        return lighter

    def _saved(self, after: Position) -> tuple[Position, dict[str, Any]]:
        """A checkpoint of that position. Of a state that has grown large in small pieces, the
        largest stand beside it from here on."""
        checkpoint = checkpointing.saved(after)
        if len(checkpoint["state_snapshot"]) <= references.LIMIT:
            return after, checkpoint
        state, recorded = self.lightened(after.state), self.lightened(after.recorded)
        after = replace(after, state=state, recorded=recorded)
        return after, checkpointing.saved(after)

    def _first_named(self) -> list[Kept]:
        """What this transition is the first of its run to name."""
        if not self._new:
            return []
        before = (*self.position.state.values(), *self.position.recorded.values())
        known = {value["$value"] for value in before if references.is_reference(value)}
        return [kept for name, kept in self._new.items() if name not in known]

    def _remember(self, new: Iterable[Kept]) -> None:
        for kept in new:
            values.remember(kept)
        self._new.clear()

    def _draft(self, kind: str, facts: Facts) -> Event:
        return Event(
            run_id=self.position.run_id,
            seq=self.position.seq + 1,
            kind=kind,
            actor=ACTOR,
            at="",
            payload=facts,
            hash="",
        )

    def _through_door(
        self,
        door: WorkerDoor | None,
        kind: str,
        payload: bytes,
        checkpoint: Facts | None,
        new: Sequence[bytes],
    ) -> Mapping[str, Any]:
        run, token, folded = self.position.run_id, self.lease.token, self.position.seq
        if door is None:
            return runs.move_run(run, token, folded, kind, ACTOR, payload, checkpoint, new)
        return door(run, token, folded, ACTOR, payload, checkpoint, new)

    def _catch_up(self, newer: Iterable[Facts]) -> None:
        self.position = folded(self.position, newer)


def opened(lease: Lease, case: Facts) -> Log:
    """The log of a run just claimed: newest sound checkpoint, and the events after it.

    A damaged checkpoint is passed over for the one before it, and in the end for the first event:
    the log holds everything. It is named in `log.damaged`. Raises Damaged when the chain does not
    hold, Incompatible.
    """
    start, position, damaged = _sound(lease.run_id, case)
    log = Log(lease, position)
    log._checkpointed, log.damaged = start, damaged
    return log


_ITS_NEWEST = 2**62


def stands(run_id: uuid.UUID) -> Position:
    """Where a run stands that nobody has to hold, read as a worker reads it. Raises Damaged,
    Incompatible."""
    _start, position, _damaged = _sound(run_id, runs.case_before(run_id, _ITS_NEWEST))
    return position


def _sound(run_id: uuid.UUID, case: Facts) -> tuple[int, Position, tuple[str, ...]]:
    """The seq of the newest sound checkpoint, the position, and the checkpoints passed over."""
    damaged: list[str] = []
    while True:
        try:
            start, position = _read(run_id, case)
        except DamagedCheckpoint:
            damaged.append(case["checkpoint"]["checkpoint_id"])
            case = runs.case_before(run_id, case["checkpoint"]["last_event_sequence"])
            continue
        return start, position, tuple(damaged)


def _read(run_id: uuid.UUID, case: Facts) -> tuple[int, Position]:
    try:
        start, events = _start(run_id, case)
        position = folded(start, events)
    except (LookupError, TypeError, ValueError) as problem:
        raise Damaged(f"What is stored of this run cannot be read: {problem!r}") from problem
    if position.head != case["head"]:
        raise Damaged("The run's head is not the hash of its last event.")
    return start.seq, position


def _start(run_id: uuid.UUID, case: Facts) -> tuple[Position, Sequence[Facts]]:
    """The position to begin from, and the events that are still to be folded."""
    if case["checkpoint"] is not None:
        return checkpointing.restored(run_id, case), case["events"]
    first, *later = case["events"]
    return fold(None, verified(run_id, first, 0, NOTHING)), later


def folded(position: Position, raw: Iterable[Facts]) -> Position:
    """Fold stored events into `position`, verifying the chain link by link."""
    for event in raw:
        position = fold(position, verified(position.run_id, event, position.seq, position.head))
    return position


def verified(run_id: uuid.UUID, stored: Facts, seq: int, prev: str) -> Event:
    """The stored event that follows `seq`, with its hashes re-computed. Raises Damaged."""
    if stored["seq"] != seq + 1:
        raise Damaged(f"Event {seq + 1} is missing.")
    if stored["payload"] is not None:
        _check_payload(stored)
    computed = event_hash(
        run=run_id,
        seq=stored["seq"],
        kind=stored["kind"],
        actor=stored["actor"],
        at=stored["at"],
        payload_hash=stored["payload_hash"],
        prev=prev,
    )
    if computed != stored["hash"]:
        raise Damaged(f"Event {stored['seq']} does not match its hash.")
    return Event(
        run_id=run_id,
        seq=stored["seq"],
        kind=stored["kind"],
        actor=stored["actor"],
        at=stored["at"],
        payload=json.loads(stored["payload"]) if stored["payload"] is not None else {},
        hash=computed,
    )


def _check_payload(stored: Facts) -> None:
    found = payload_hash(bytes.fromhex(stored["salt"]), stored["payload"].encode())
    if found != stored["payload_hash"]:
        raise Damaged(f"The payload of event {stored['seq']} was altered.")
