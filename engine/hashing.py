"""The hash chain of a run's log, computed outside the database.

Envelope: canonical JSON of {actor, at, kind, payload, prev, run, seq}, where `payload` is
SHA-256(salt ‖ payload bytes) in hex and `prev` the hash before. An event's hash is
SHA-256(0x00 ‖ envelope): the leaf hash of RFC 6962, section 2.1.
"""

import json

from .canonical import sha256, sha256_hex

GENESIS = "00" * 32
"""What the first event of a run names as the hash before it."""


def payload_hash(salt: bytes, payload: bytes) -> str:
    return sha256_hex(salt, payload)


def event_hash(
    *, run: object, seq: int, kind: str, actor: str, at: str, payload_hash: str, prev: str
) -> str:
    """The hash (hex) of one event; `at` as RFC 3339 in UTC with six digits."""
    envelope = (
        f'{{"actor":{_quoted(actor)},"at":"{at}","kind":{_quoted(kind)},'
        f'"payload":"{payload_hash}","prev":"{prev}","run":"{run}","seq":{seq}}}'
    )
    return sha256(b"\x00", envelope.encode()).hex()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
