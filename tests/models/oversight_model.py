"""Lease, effect and approval as one small machine, to be explored in every order of events.

A transition is a function of the rules and a state that gives every (step, state after it). What
the model says, and what it leaves out, stands in docs/model.md.
"""

from collections.abc import Callable

from . import leasing, people, protocol, surroundings
from .doors import Steps
from .rules import Rules
from .state import State

Transition = Callable[[Rules, State], Steps]

TRANSITIONS: tuple[Transition, ...] = (
    protocol.work,
    leasing.claim,
    leasing.misfortune,
    leasing.recovery,
    leasing.renewal,
    surroundings.lease_lapses,
    surroundings.deadline_passes,
    surroundings.window_closes,
    surroundings.time_is_over,
    surroundings.landing,
    people.reviewer,
    people.agent,
    people.sweep,
    people.operator,
    people.stop,
    people.elsewhere,
)
