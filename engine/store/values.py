"""Large values: one function here, one door in `values.sql`. They are kept by the doors that
append the event which names them first."""

from .doors import call


def value_body(digest: bytes) -> bytes | None:
    """The bytes of a value by their SHA-256; None when it is not kept here."""
    return call("value_body", digest)
