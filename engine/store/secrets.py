"""Sealed secrets: one name here, one door in `secrets.sql`."""

from .doors import call


def keep_secret(fingerprint: str, sealed: bytes) -> None:
    """Keep a sealed value; keeping it twice is keeping it once."""
    call("keep_secret", fingerprint, sealed)


def sealed_secret(fingerprint: str) -> bytes | None:
    """A sealed value by its fingerprint; None when there is none."""
    return call("sealed_secret", fingerprint)
