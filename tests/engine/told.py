"""What whoever acts on a run must be told, one after the other, and what is so afterwards.

Rules in plain Python: nothing here knows how a door is written, or that there are doors. Two at
once are told what they would be told one behind the other, in the order in which they come to the
run's row.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

DECIDES = {"approve": "approve", "reject": "reject", "ask": "return"}
OUTCOMES = {"approve": "approved", "reject": "rejected", "ask": "returned"}
FIRST = "Rosa Lind"
"""Who decides first wherever somebody does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that decides what the next in line is told."""

    proposal: str = "open"
    approvals_left: int = 1
    rejections_left: int = 1
    overdue: bool = False
    sent: bool = False
    stopped: bool = False
    answered: bool = False
    news: bool = False
    """Something stands in the run's log that no worker has folded."""
    awake: bool = False
    """Some of the news is for a worker: one that waits is claimed for it."""
    claimed: bool = False
    looked: bool = False
    """Somebody has asked just now to have the premises read again."""
    lease: str = "none"
    """of the worker: live, extended, lapsed; none; another's."""


BEFORE: Mapping[str, Facts] = {
    "asked": Facts(),
    "two needed": Facts(approvals_left=2, rejections_left=2),
    "one voice short": Facts(approvals_left=1, rejections_left=2),
    "overdue": Facts(overdue=True),
    "stopped": Facts(stopped=True),
    "returned": Facts(proposal="returned"),
    "parking": Facts(lease="live"),
    "gate": Facts(proposal="approved", lease="live"),
    "stopped at the gate": Facts(proposal="approved", stopped=True, lease="live"),
    "stopped when sent": Facts(proposal="approved", stopped=True, sent=True, lease="live"),
    "sent": Facts(proposal="approved", sent=True, lease="live"),
    "verified": Facts(proposal="approved", sent=True, lease="live"),
}


def told(place: str, facts: Facts, act: str) -> tuple[str, Facts]:
    """What somebody must be told who acts when this is so, and what is so afterwards."""
    if act in DECIDES:
        return told_of_the_vote(facts, act)
    return TOLD[act](place, facts)


def told_of_the_vote(facts: Facts, act: str) -> tuple[str, Facts]:
    """A version is decided while it is open and in time; under a stop nothing is approved."""
    if facts.proposal in OUTCOMES.values():
        return f"AlreadyDecided: {facts.proposal} by {FIRST}", facts
    if facts.proposal == "expired" or (facts.proposal == "open" and facts.overdue):
        return "Expired", facts
    if facts.proposal != "open":
        return "Conflict", facts
    if act == "approve" and facts.stopped:
        return "Stopped", facts
    return "passes", heard(facts, act)


def heard(facts: Facts, act: str) -> Facts:
    """A voice counts; the last that is needed decides. To ask something back is always one."""
    approvals, rejections = facts.approvals_left, facts.rejections_left
    approvals -= act == "approve"
    rejections -= act == "reject"
    decided = act == "ask" or not approvals or not rejections
    status = OUTCOMES[act] if decided else facts.proposal
    left = {"approvals_left": approvals, "rejections_left": rejections}
    return replace(facts, proposal=status, news=True, awake=True, **left)


def told_of_withdrawal(place: str, facts: Facts) -> tuple[str, Facts]:
    """An agent may take back what is undecided or approved, until it was sent."""
    if facts.sent or facts.proposal not in ("open", "approved"):
        return "Conflict", facts
    return "passes", replace(facts, proposal="withdrawn", news=True, awake=True)


def told_of_expiry(place: str, facts: Facts) -> tuple[str, Facts]:
    if facts.proposal != "open" or not facts.overdue:
        return "nothing to do", facts
    return "passes", replace(facts, proposal="expired", news=True, awake=True)


def told_of_an_answer(place: str, facts: Facts) -> tuple[str, Facts]:
    """A question is answered once."""
    return "Conflict" if facts.answered else "passes", replace(
        facts, answered=True, news=True, awake=True
    )


def told_of_editing(place: str, facts: Facts) -> tuple[str, Facts]:
    """As for a vote; and under a stop nothing is asked anew. What was shown is superseded."""
    said, _ = told_of_the_vote(facts, "approve")
    after = replace(facts, proposal="superseded", news=True, awake=True)
    return said, after if said == "passes" else facts


def told_of_claiming(place: str, facts: Facts) -> tuple[str, Facts]:
    """A notice to the others, while it is open and in time; a worker need not act on it."""
    if facts.proposal != "open":
        return "Conflict", facts
    if facts.overdue or facts.claimed:
        return "Expired" if facts.overdue else "Claimed", facts
    return "passes", replace(facts, claimed=True, news=True)


def told_of_looking(place: str, facts: Facts) -> tuple[str, Facts]:
    """Whoever could decide it has it looked at, while it is open, and not at once again."""
    if facts.proposal != "open" or facts.overdue:
        return "Conflict", facts
    if facts.looked:
        return "TooEarly", facts
    return "passes", replace(facts, looked=True, news=True, awake=True)


def told_of_a_stop(place: str, facts: Facts) -> tuple[str, Facts]:
    """It says nothing to the run itself: whoever comes to a place that asks for stops hears it."""
    return "Conflict" if facts.stopped else "passes", replace(facts, stopped=True)


def told_of_lifting(place: str, facts: Facts) -> tuple[str, Facts]:
    return "passes" if facts.stopped else "Conflict", replace(facts, stopped=False)


def told_of_lapsing(place: str, facts: Facts) -> tuple[str, Facts]:
    """Under a stop the sweep lapses what is undecided or approved, until it was sent."""
    if not facts.stopped or facts.sent or facts.proposal not in ("open", "approved"):
        return "nothing to do", facts
    return "passes", replace(facts, proposal="lapsed", news=True, awake=True)


def told_of_cancelling(place: str, facts: Facts) -> tuple[str, Facts]:
    """Only a request, at any time: the worker heeds it where nothing is under way."""
    return "passes", replace(facts, news=True, awake=True)


def told_of_taking_over(place: str, facts: Facts) -> tuple[str, Facts]:
    """One worker holds a run; one that waits is claimed when there is news."""
    if facts.lease == "lapsed" or (facts.lease == "none" and facts.awake):
        return "passes", replace(facts, lease="another's")
    return "nothing to do", facts


def told_of_working(place: str, facts: Facts) -> tuple[str, Facts]:
    """A worker without its lease changes nothing; one with it is told the news before all else."""
    if facts.lease not in ("live", "extended"):
        return "LeaseLost", facts
    if facts.news:
        return "the news", facts
    if place in ("gate", "stopped at the gate"):
        if facts.stopped:
            return "Stopped", facts
        return "passes", replace(facts, sent=True, lease="extended")
    return "passes", replace(facts, lease="none" if place == "parking" else facts.lease)


TOLD: Mapping[str, Callable[[str, Facts], tuple[str, Facts]]] = {
    "withdraw": told_of_withdrawal,
    "expire": told_of_expiry,
    "answer": told_of_an_answer,
    "edit": told_of_editing,
    "claim": told_of_claiming,
    "look": told_of_looking,
    "stop": told_of_a_stop,
    "go on": told_of_lifting,
    "lapse": told_of_lapsing,
    "cancel": told_of_cancelling,
    "takeover": told_of_taking_over,
    "worker": told_of_working,
}
