"""Which layer kept an effect from happening twice: told by the log, not by where the kill was."""

import json
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.models import Event

NOTHING_SENT = "nothing was sent yet"
ABSENT = "its key was not found, then sent"
FOUND = "found by its key, not sent again"
RECORDED = "recorded before, then verified"
VERIFIED = "verified before, then committed"
COMMITTED = "committed before, gone on"

EXPECTED = {
    "prepared": NOTHING_SENT,
    "intended": ABSENT,
    "executed": FOUND,
    "recorded": RECORDED,
    "verified": VERIFIED,
    "committed": COMMITTED,
}
"""By crash point."""

_BY_KIND = {
    "effect_committed": COMMITTED,
    "effect_verified": VERIFIED,
    "effect_recorded": RECORDED,
}
_BY_FINDING = {"found": FOUND, "absent": ABSENT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    seq: int
    kind: str
    said: dict[str, Any]


def told(run_id: uuid.UUID) -> list[Fact]:
    """The run's log, the oldest event first."""
    events = Event.objects.filter(run_id=run_id).order_by("seq")
    return [
        Fact(seq=event.seq, kind=event.kind, said=json.loads(bytes(event.payload or b"{}")))
        for event in events
    ]


def interrupted(log: Sequence[Fact], seq: int) -> str:
    """The effect that was in hand when the log had `seq` events."""
    prepared = [fact for fact in log if fact.kind == "effect_prepared" and fact.seq <= seq]
    return str(prepared[-1].said["effect_id"])


def held(log: Sequence[Fact], seq: int) -> str:
    """What a successor leaned on that found the log with `seq` events."""
    effect = interrupted(log, seq)
    its = [fact for fact in log if fact.said.get("effect_id") == effect]
    before = {fact.kind for fact in its if fact.seq <= seq}
    for kind, layer in _BY_KIND.items():
        if kind in before:
            return layer
    if "effect_intended" not in before:
        return NOTHING_SENT
    findings = [fact.said["finding"] for fact in its if fact.kind == "effect_reconciled"]
    return ", ".join(_BY_FINDING.get(finding, finding) for finding in findings) or "nothing"


def sent(log: Sequence[Fact]) -> Counter[str]:
    """How often each effect was let through the gate."""
    return Counter(fact.said["effect_id"] for fact in log if fact.kind == "effect_intended")
