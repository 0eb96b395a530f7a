"""What one exploration is about: the kind of target, and which rules are left out of the model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of the design for one kind of target; a mutant leaves some of them out."""

    target: str
    fenced: bool = False
    """The target refuses calls under a token older than one it has seen."""
    reachable: bool = True
    """The target always answers when it is asked by key."""
    lasting: bool = False
    """The approval outlasts the story: its time does not run out, and the act itself does not
    falsify its precondition. Otherwise these two hide what a second call would do."""
    zombies: bool = False
    """A worker may be frozen between its last look at the deadline and its call."""
    kept: bool = False
    """The lease of a worker that is stuck there goes on being renewed, beyond the margin."""
    left_out: frozenset[str] = frozenset()

    def hold(self, rule: str) -> bool:
        return rule not in self.left_out

    @property
    def can_be_asked(self) -> bool:
        return self.target != "opaque"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """How much may go wrong, and how often people may intervene, in one story."""

    mishaps: int
    """Workers that freeze or die, answers that get lost."""
    turns: int
    """Stops, withdrawals, roles taken away, rulings, the world changing under an approval."""

    def within(self, other: "Bound") -> bool:
        return self.mishaps <= other.mishaps and self.turns <= other.turns


BOUNDS = {
    "two interventions": Bound(mishaps=0, turns=2),
    "one mishap": Bound(mishaps=1, turns=0),
}
"""What every build tries."""

DEEP = Bound(mishaps=1, turns=1)
"""What takes a minute or two."""


SETTINGS = {
    "idempotent": Rules(target="idempotent", reachable=False),
    "idempotent and fenced": Rules(target="idempotent", fenced=True, zombies=True),
    "probe": Rules(target="probe", reachable=False),
    "opaque": Rules(target="opaque", reachable=False),
}
"""The kinds of target for which every invariant must hold."""

WINDOWS = {
    "idempotent, checks no token": Rules(target="idempotent", zombies=True),
    "probe, checks no token": Rules(target="probe", zombies=True),
    "opaque": Rules(target="opaque", zombies=True),
    "fenced, and its lease is renewed while it is stuck": Rules(
        target="idempotent", fenced=True, zombies=True, kept=True
    ),
    "fenced, and never reached to be told": Rules(
        target="idempotent", fenced=True, reachable=False, zombies=True
    ),
}
"""Where a worker that is frozen after its last look still does harm, and the design says so."""
