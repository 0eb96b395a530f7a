"""What somebody does not see before their own word: what others have said of an open proposal.

Who sees another's verdict first looks less closely. So a rule may have everybody decide blind; once
one's own word is in, or the proposal is closed, all of it is shown.
"""

import uuid
from collections.abc import Iterable
from dataclasses import replace

from oversight.reading import decidable
from oversight.reading.log import Logged
from oversight.showing import literal

WITHHELD = {"decision": "withheld"}
"""What is told of a decision in place of what it says."""


def hidden_from(person_id: int, run_id: uuid.UUID) -> frozenset[str]:
    """The proposal versions of a run of which this person may not see the verdicts yet."""
    waiting = decidable.proposals(person_id).filter(run_id=run_id)
    rules = ((each.pk, literal.read(bytes(each.terms))["rule"]) for each in waiting)
    return frozenset(str(pk) for pk, rule in rules if rule["blind"])


def withheld(events: Iterable[Logged], hidden: frozenset[str]) -> tuple[Logged, ...]:
    """The same events; of the decisions that are hidden, only that they were made."""
    return tuple(_withheld(each) if _is_of(each, hidden) else each for each in events)


def _is_of(event: Logged, hidden: frozenset[str]) -> bool:
    return event.kind == "decision_made" and event.facts.get("id") in hidden


def _withheld(event: Logged) -> Logged:
    return replace(event, facts=WITHHELD)
