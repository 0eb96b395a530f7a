"""One event's hashes, computed anew from what is stored of it and of the event before."""

from dataclasses import dataclass

from engine.canonical import packed, sha256_hex
from engine.hashing import GENESIS, payload_hash
from oversight.pages.audit import reads
from oversight.pages.audit.reads import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was computed. `prev` is None where the event before is missing, and `payload` where
    the content was erased by design: that much cannot be checked.
    """

    event: Stored
    prev: str | None
    envelope: str
    hash: str
    payload: str | None

    @property
    def hash_matches(self) -> bool:
        return self.prev is not None and self.hash == self.event.hash

    @property
    def payload_matches(self) -> bool:
        return self.payload is None or self.payload == self.event.payload_hash

    @property
    def intact(self) -> bool:
        """As far as one event can tell: whether anything follows, the whole log's check says."""
        return self.hash_matches and self.payload_matches


def checked(event: Stored) -> Checked:
    prev = GENESIS if event.seq == 1 else reads.hash_of(event.run_id, event.seq - 1)
    envelope = _envelope(event, prev or "")
    erased = event.payload is None
    return Checked(
        event=event,
        prev=prev,
        envelope=envelope.decode(),
        hash=sha256_hex(b"\x00", envelope),
        payload=None if erased else payload_hash(event.salt or b"", event.payload or b""),
    )


def _envelope(event: Stored, prev: str) -> bytes:
    """The canonical JSON that is hashed; its form is documented in `engine.hashing`."""
    return packed(
        {
            "actor": event.actor,
            "at": event.instant,
            "kind": event.kind,
            "payload": event.payload_hash,
            "prev": prev,
            "run": str(event.run_id),
            "seq": event.seq,
        }
    )
