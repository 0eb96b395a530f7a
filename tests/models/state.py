"""One instant of the model: two workers, a run with one proposal and one effect, the target.

The parts bear the names of the engine's tables. Only the order of things in time is kept, no
clock; tokens are small integers of which only the order counts.
"""

from dataclasses import dataclass, field
from typing import Any, TypeVar

WORKERS = ("a", "b")
Part = TypeVar("Part")


def but(part: Part, **changes: Any) -> Part:
    """A copy with changes. `dataclasses.replace` does the same and takes most of the time here."""
    copy = object.__new__(type(part))
    copy.__dict__.update(part.__dict__, **changes)
    return copy


@dataclass(frozen=True, kw_only=True)
class Worker:
    life: str = "alive"
    at: str = "idle"
    """The place in its own program; `ready` is where it chooses its next move."""
    token: int = 0
    knows: str = ""
    """The stage of the run as far as it has folded the log."""
    behind: bool = False
    """Others have appended since."""
    heard: str = ""
    lost: bool = False
    """Its lease has lapsed once. No rule reads this; an invariant does."""


@dataclass(frozen=True, kw_only=True)
class Run:
    status: str = "running"
    stage: str = "requested"
    """What folding the whole log gives: where the one request stands."""
    token: int = 0
    lease: str = "none"
    extended: bool = False
    """The lease reaches to the call's deadline and the margin at least."""
    wake: bool = False
    alerted: bool = False


@dataclass(frozen=True, kw_only=True)
class Proposal:
    status: str = "none"
    overdue: bool = False
    authority: bool = True
    """Who approves still may."""


@dataclass(frozen=True, kw_only=True)
class Effect:
    status: str = "none"
    token: int = 0
    deadline: str = "none"
    """The last call may be sent (`running`), may still land (`over`), or neither (`settled`)."""
    verification: str = "none"
    committed: bool = False


@dataclass(frozen=True, kw_only=True)
class Target:
    acts: int = 0
    """How often it really happened."""
    sent: int = 0
    """How many calls were ever sent: none, one, more."""
    flight: tuple[int, ...] = ()
    """Tokens of calls that are under way."""
    fence: int = 0
    forgotten: bool = False
    """The window in which it knows the key is closed."""
    drifted: bool = False
    """Somebody else has changed what the approval rests on."""


@dataclass(frozen=True, kw_only=True)
class State:
    a: Worker = field(default_factory=Worker)
    b: Worker = field(default_factory=Worker)
    run: Run = field(default_factory=Run)
    proposal: Proposal = field(default_factory=Proposal)
    effect: Effect = field(default_factory=Effect)
    target: Target = field(default_factory=Target)
    stopped: bool = False
    mishaps: int = 0
    """How many more there may be."""
    turns: int = 0

    def worker(self, me: str) -> Worker:
        return self.a if me == "a" else self.b

    def with_worker(self, me: str, **changes: Any) -> "State":
        if me == "a":
            return but(self, a=but(self.a, **changes))
        return but(self, b=but(self.b, **changes))

    def with_run(self, **changes: Any) -> "State":
        return but(self, run=but(self.run, **changes))

    def with_proposal(self, **changes: Any) -> "State":
        return but(self, proposal=but(self.proposal, **changes))

    def with_effect(self, **changes: Any) -> "State":
        return but(self, effect=but(self.effect, **changes))

    def with_target(self, **changes: Any) -> "State":
        return but(self, target=but(self.target, **changes))

    def with_mishap(self) -> "State":
        return but(self, mishaps=self.mishaps - 1)

    def with_turn(self) -> "State":
        return but(self, turns=self.turns - 1)

    def idle(self, me: str) -> "State":
        return renumbered(but(self, **{me: Worker()}))

    def appended(self, by: str | None = None) -> "State":
        """The log has grown: who wrote has folded it, another who holds the run is behind."""
        state = self
        for me in WORKERS:
            worker = state.worker(me)
            if me == by:
                state = state.with_worker(me, knows=state.run.stage, behind=False)
            elif worker.token == state.run.token and worker.token and not worker.behind:
                state = state.with_worker(me, behind=True)
        return state


ENDED = ("completed", "failed", "cancelled")
ASKED_AGAIN = "requested again"
"""The approval lapsed and the request went back as a new version with a key of its own: another
instance of this model, so this one ends there."""


def ended(state: State) -> bool:
    return state.run.status in ENDED or state.run.stage == ASKED_AGAIN


def renumbered(state: State) -> State:
    """Only the order of tokens counts: those that somebody still carries become 1, 2, 3 …"""
    held = {worker.token for worker in (state.a, state.b)} - {0}
    used = sorted(held | {*state.target.flight, state.run.token} - {0})
    new = {token: place for place, token in enumerate(used, 1)}
    if all(old == place for old, place in new.items()) and state.target.fence in (0, *used[1:]):
        return state if state.effect.token in (0, *held) else state.with_effect(token=0)
    for me in WORKERS:
        if state.worker(me).token:
            state = state.with_worker(me, token=new[state.worker(me).token])
    below = sum(token < state.target.fence for token in used)
    flight = tuple(new[token] for token in state.target.flight)
    return (
        state.with_target(flight=flight, fence=below + 1 if below else 0)
        .with_effect(token=new[state.effect.token] if state.effect.token in held else 0)
        .with_run(token=new.get(state.run.token, 0))
    )
