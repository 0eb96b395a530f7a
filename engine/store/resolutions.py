"""What people rule about unknown effects: one name here, one door in `resolutions.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call

Told = Mapping[str, Any]


def request_probe(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """Ask the target again, now; a worker says what it found."""
    return call("request_probe", run, actor, payload)


def resolve_effect(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """A person's ruling, with evidence and a reason."""
    return call("resolve_effect", run, actor, payload)


def accept_effect(run: uuid.UUID, actor: str, payload: bytes) -> Told:
    """A named person accepts what verification did not show to be as approved."""
    return call("accept_effect", run, actor, payload)
