"""Re-compute every chain: what stands in the log is what was written, and nothing is missing. Nor
is a large value that the log names."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection, transaction

from . import references, values
from .canonical import sha256_hex
from .hashing import GENESIS, event_hash
from .models import Event, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Where a log does not verify, and how. `seq` 0 speaks of the run as a whole."""

    run_id: uuid.UUID
    seq: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    events: int
    runs: int
    erased: int
    faults: tuple[Fault, ...]

    @property
    def intact(self) -> bool:
        """Every event was checked and is as written. Nothing checked is not intact."""
        return self.events > 0 and not self.faults


class _Chain:
    """One run's chain while it is walked."""

    def __init__(self, run_id: uuid.UUID) -> None:
        self.run_id, self.seq, self.head = run_id, 0, GENESIS
        self.sound: set[str] = set()
        self.at = datetime.min.replace(tzinfo=UTC)
        self.emptied: list[int] = []
        self.erasure_told = False

    def faults(self, event: Event) -> Iterator[str]:
        """What is wrong with the event that comes next."""
        if event.seq != self.seq + 1:
            yield f"event {self.seq + 1} is missing"
        if event.at < self.at:
            yield "time runs backwards"
        stored = bytes(event.payload_hash).hex()
        if event.payload is not None and stored != _payload_hash(event):
            yield "the payload was altered"
        if bytes(event.hash).hex() != _hash(event, stored, self.head):
            yield "the hash does not match"
        self.seq, self.head, self.at = event.seq, bytes(event.hash).hex(), event.at
        self.erasure_told = self.erasure_told or event.kind == "erased"
        if event.payload is None:
            self.emptied.append(event.seq)

    def faults_of_values(self, event: Event) -> Iterator[str]:
        """What is wrong with the large values that the event names."""
        for name in sorted(references.named_in(bytes(event.payload or b"")) - self.sound):
            problem = _problem_with(name)
            if problem is None:
                self.sound.add(name)
            else:
                yield f"the value {name} {problem}"

    def unexplained(self) -> list[Fault]:
        """Content that is gone although the log says nothing of an erasure."""
        if self.erasure_told:
            return []
        what = "the payload is gone and no erasure is told"
        return [Fault(run_id=self.run_id, seq=seq, what=what) for seq in self.emptied]


def _problem_with(name: str) -> str | None:
    """A value is read anew, whatever this process remembers of it."""
    body = values.body(name)
    if body is None:
        return "is missing"
    return None if references.name_of(body) == name else "was altered"


def _payload_hash(event: Event) -> str:
    return sha256_hex(bytes(event.salt or b""), bytes(event.payload or b""))


def _hash(event: Event, payload: str, prev: str) -> str:
    return event_hash(
        run=event.run_id,
        seq=event.seq,
        kind=event.kind,
        actor=event.actor,
        at=event.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        payload_hash=payload,
        prev=prev,
    )


def run_once(run_id: uuid.UUID | None = None) -> Report:
    """Verify every event of one run, or of all; each run's row must name its chain's end.

    All of it is read as of one moment, so that a log that is being written to verifies too.
    """
    with transaction.atomic():
        connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        return _verify(run_id)


def _verify(run_id: uuid.UUID | None) -> Report:
    chains: dict[uuid.UUID, _Chain] = {}
    faults: list[Fault] = []
    events = erased = 0
    for event in _events(run_id):
        chain = chains.setdefault(event.run_id, _Chain(event.run_id))
        found = [*chain.faults(event), *chain.faults_of_values(event)]
        faults += [Fault(run_id=event.run_id, seq=event.seq, what=what) for what in found]
        events, erased = events + 1, erased + (event.payload is None)
    faults += [fault for chain in chains.values() for fault in chain.unexplained()]
    faults += _unfinished(chains, run_id)
    return Report(events=events, runs=len(chains), erased=erased, faults=tuple(faults))


def _events(run_id: uuid.UUID | None) -> Iterator[Event]:
    events = Event.objects.order_by("run_id", "seq")
    if run_id is not None:
        events = events.filter(run_id=run_id)
    return events.iterator(chunk_size=2_000)


def _unfinished(chains: dict[uuid.UUID, _Chain], run_id: uuid.UUID | None) -> Iterator[Fault]:
    """Runs whose row names another end than their log has: the last events were removed."""
    rows = Run.objects.filter(run_id=run_id) if run_id is not None else Run.objects.all()
    for row in rows.values_list("run_id", "last_seq", "head").iterator():
        chain = chains.get(row[0])
        if chain is None:
            yield Fault(run_id=row[0], seq=0, what="the whole log is missing")
        elif (chain.seq, chain.head) != (row[1], bytes(row[2]).hex()):
            yield Fault(run_id=row[0], seq=chain.seq, what="the end of the log is missing")
