"""Names that sort by time."""

import os
import time
import uuid


def uuid7(milliseconds: int | None = None, randomness: bytes | None = None) -> uuid.UUID:
    """A UUID version 7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then randomness."""
    stamp = time.time_ns() // 1_000_000 if milliseconds is None else milliseconds
    rest = int.from_bytes(randomness or os.urandom(10), "big")
    value = (stamp & (2**48 - 1)) << 80 | rest
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return uuid.UUID(int=value)
