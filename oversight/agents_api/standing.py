"""How a proposal stands, in words an agent can act on. Pure: no database."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace

from engine import states

from .told import NOT_OPENED, PREPARING, Effect, Proposal

_NOTHING_RAN = "This is final: nothing ran, and nothing of it ever will."

_MEANINGS: Mapping[str, str] = {
    PREPARING: "The world is being looked at; nobody has been asked yet.",
    "open": "A reviewer has been asked.",
    "approved": "Approved; what it rests on is looked at once more before anything is sent.",
    "rejected": f"A reviewer rejected it. {_NOTHING_RAN}",
    "returned": "A reviewer asks a question: answer it with a new version.",
    "expired": f"Nobody decided in time. {_NOTHING_RAN}",
    "withdrawn": f"It was withdrawn. {_NOTHING_RAN}",
    "superseded": "A newer version has taken its place, and so it is void. Nothing ran.",
    "lapsed": "It no longer holds, and nothing ran under it. Reviewers are asked anew.",
    NOT_OPENED: f"The run ended before anybody was asked. {_NOTHING_RAN}",
}
_EFFECT_MEANINGS: Mapping[str, str] = {
    "prepared": "Approved; nothing has been sent yet.",
    "executing": "Approved; it is being carried out.",
    "succeeded": "Carried out; the target is being read again to verify it.",
    "failed": "Approved, and the target refused it: nothing happened.",
    "unknown": "Approved and sent; nobody can tell yet whether it happened. Do not repeat it.",
    "compensated": "Carried out, and rolled back since.",
}
_COMMITTED = "Carried out, verified and committed."
_NOT_SENT = "Approved, and the approval lapsed before anything was sent: nothing happened."

_NO_NEWS = ("run_status", "run_last_seq", "mark")
"""What an agent need not be told that waits for news of a proposal: its run goes to and fro."""

_SURELY_NOTHING = ("rejected", "expired", "withdrawn", "superseded", NOT_OPENED)
_SETTLED = ("failed", "compensated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The newest version of a proposal that a run's log asks for."""

    proposal_id: str
    version: int
    action: str
    action_version: int
    tool_call_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one event of the log says about a proposal."""

    kind: str
    proposal_id: str
    version: int | None = None
    answers_version: int | None = None
    action: str | None = None
    action_version: int | None = None
    tool_call_id: str | None = None
    goes_on_as: int | None = None


KINDS = (
    "effect_requested",
    "request_taken_up",
    "request_dropped",
    "approval_lapsed",
    "proposal_lapsed",
    "proposal_edited",
    "versions_carried_over",
)
"""The kinds of events that ask for a version of a proposal, or take that back."""

_ASKED_ANEW = ("approval_lapsed", "proposal_lapsed", "proposal_edited")


def asked_for(log: Iterable[Said]) -> dict[str, Asked]:
    """The newest version of each proposal that was asked for, in the order of the first asking."""
    found: dict[str, Asked] = {}
    for said in log:
        known = found.get(said.proposal_id)
        if said.kind == "request_dropped" and known:
            found[said.proposal_id] = replace(known, version=known.version - 1)
        elif said.kind in _ASKED_ANEW and known:
            found[said.proposal_id] = replace(known, version=(said.version or 0) + 1)
        elif said.kind == "versions_carried_over":
            if known and said.goes_on_as and said.action_version:
                found[said.proposal_id] = replace(
                    known, version=said.goes_on_as, action_version=said.action_version
                )
        elif said.action and said.action_version:
            found[said.proposal_id] = _asked(said)
    return found


def _asked(said: Said) -> Asked:
    return Asked(
        proposal_id=said.proposal_id,
        version=said.version or (said.answers_version or 0) + 1,
        action=said.action or "",
        action_version=said.action_version or 1,
        tool_call_id=said.tool_call_id,
    )


def status_of(asked: Asked, opened: int, status: str | None, run_status: str) -> str:
    """The status of the newest version; `opened` is the newest that was shown, 0 for none."""
    if status is not None and opened >= asked.version:
        return status
    return NOT_OPENED if run_status in states.terminal(states.RUN) else PREPARING


def is_final(status: str, effect: Effect | None, run_status: str) -> bool:
    """Will nothing about this proposal change any more?"""
    if status in _SURELY_NOTHING or run_status in states.terminal(states.RUN):
        return True
    return effect is not None and (effect.committed_at is not None or effect.status in _SETTLED)


def meaning(status: str, effect: Effect | None) -> str:
    """The status in one sentence."""
    if effect is None or status not in ("approved", "lapsed"):
        return _MEANINGS[status]
    if effect.status == "failed" and effect.outcome == "not_sent":
        return _NOT_SENT
    if effect.status == "succeeded" and effect.committed_at is not None:
        return _COMMITTED
    return _EFFECT_MEANINGS[effect.status]


def marked(told: Proposal) -> Proposal:
    """The same with its mark: 16 hex digits that change with whatever is news to an agent."""
    facts = {name: value for name, value in asdict(told).items() if name not in _NO_NEWS}
    written = json.dumps(facts, default=str, sort_keys=True)
    return replace(told, mark=hashlib.sha256(written.encode()).hexdigest()[:16])
