"""Every state that can be reached, the nearest first; the shortest story that breaks a rule."""

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from .doors import Step
from .invariants import STRANDED, broken_by_step, broken_in
from .oversight_model import TRANSITIONS
from .rules import Bound, Rules
from .state import State, ended

MACHINERY = ("worker", "the clock", "the sweep", "the target")
"""Who goes on by itself. No run may need luck, or a person who was never asked."""


@dataclass(slots=True)
class Exploration:
    states: list[State] = field(default_factory=list)
    came: list[tuple[int, Step | None]] = field(default_factory=list)
    """For each state, whence it was first reached, and how."""
    by_itself: list[list[int]] = field(default_factory=list)
    """For each state, those from which the machinery alone leads there."""
    transitions: int = 0
    broken: str | None = None
    story: tuple[str, ...] = ()
    last: State | None = None
    """The state in which it is broken."""

    def add(self, state: State, whence: int, step: Step | None) -> None:
        self.states.append(state)
        self.came.append((whence, step))
        self.by_itself.append([])

    def ends(self, broken: str, last: State, story: tuple[str, ...]) -> "Exploration":
        self.broken, self.last, self.story = broken, last, story
        return self

    def tell(self, place: int, last: Step | None = None) -> tuple[str, ...]:
        steps = [last] if last else []
        while (step := self.came[place][1]) is not None:
            steps.append(step)
            place = self.came[place][0]
        return tuple(f"{n}. {who}: {what}" for n, (who, what) in enumerate(reversed(steps), 1))


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """States hold no cycles and are all kept: looking for garbage takes half the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@_nothing_collected()
def explore(rules: Rules, bound: Bound, *, stranding: bool = True) -> Exploration:
    """Breadth first until a rule breaks or nothing new is found."""
    start = State(mishaps=bound.mishaps, turns=bound.turns)
    found, places = Exploration(), {start: 0}
    found.add(start, 0, None)
    waiting = deque([0])
    while waiting:
        here = waiting.popleft()
        before = found.states[here]
        for step, after in _steps(rules, before):
            found.transitions += 1
            there = places.setdefault(after, len(places))
            broken = broken_by_step(before, step, after)
            if there == len(found.states):
                found.add(after, here, step)
                waiting.append(there)
                broken = broken or broken_in(rules, after)
            if broken:
                return found.ends(broken, after, found.tell(here, step))
            if step.who.startswith(MACHINERY):
                found.by_itself[there].append(here)
    return _with_the_stranded(found) if stranding else found


def _steps(rules: Rules, state: State) -> Iterable[tuple[Step, State]]:
    for transition in TRANSITIONS:
        yield from transition(rules, state)


def _with_the_stranded(found: Exploration) -> Exploration:
    lost = stranded(found)
    if lost:
        return found.ends(STRANDED, found.states[lost[0]], found.tell(lost[0]))
    return found


def stranded(found: Exploration) -> Sequence[int]:
    """States from which the machinery alone leads neither to an end nor to a person asked."""
    good = {place for place, state in enumerate(found.states) if ended(state) or asks(state)}
    waiting = list(good)
    while waiting:
        for whence in found.by_itself[waiting.pop()]:
            if whence not in good:
                good.add(whence)
                waiting.append(whence)
    return [place for place in range(len(found.states)) if place not in good]


def asks(state: State) -> bool:
    """A person is asked: a reviewer who still may decide, or an operator by an alert."""
    if state.run.status == "paused":
        return True
    deciding = state.run.status == "waiting_approval" and not state.proposal.overdue
    return deciding and state.proposal.status == "open"


def goes_on_to(rules: Rules, state: State, good: Callable[[State], bool]) -> bool:
    """Can the machinery alone lead from here to a good state, whatever is broken meanwhile?"""
    seen, waiting = {state}, deque([state])
    while waiting:
        here = waiting.popleft()
        if good(here):
            return True
        after = {s for step, s in _steps(rules, here) if step.who.startswith(MACHINERY)}
        waiting.extend(after - seen)
        seen |= after
    return False
