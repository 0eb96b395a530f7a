"""Reconciling: a worker asks the target by key what became of a call, before anything else."""

from collections.abc import Iterator

from . import doors
from .doors import Step, Steps, name_of, through
from .rules import Rules
from .state import State


def asks(rules: Rules, state: State, me: str) -> Steps:
    """Fence, then ask. What a target may say depends on what it can tell."""
    fenced = _fenced(rules, state, me)
    for finding in sorted(set(_findings(rules, state))):
        after = fenced if finding != "unclear" else state
        step = Step(name_of(me), f"asks the target by key: {finding}")
        if finding == "absent" and _is_proof(rules) and _too_early(rules, state):
            yield step, after.with_worker(me, at="waits")
        else:
            yield step, after.with_worker(me, at="asked", heard=finding)


def _too_early(rules: Rules, state: State) -> bool:
    """Read *before* the target is asked: afterwards the call may have landed in between."""
    return rules.hold("the clock is read before asking") and not _settled(rules, state)


def _settled(rules: Rules, state: State) -> bool:
    settled = ("settled",) if rules.hold("a margin after the deadline") else ("settled", "over")
    return state.effect.deadline in settled


def _fenced(rules: Rules, state: State, me: str) -> State:
    token = state.worker(me).token
    if not rules.fenced or not rules.hold("who asks fences first"):
        return state
    flight = tuple(call for call in state.target.flight if call >= token)
    return state.with_target(fence=max(state.target.fence, token), flight=flight)


def _findings(rules: Rules, state: State) -> Iterator[str]:
    """Where keys are honoured, absent is said when it is so, or when the key is forgotten; another
    target may not find what is there."""
    happened = state.target.acts > 0
    if rules.target == "idempotent" and not rules.hold("a call is sent again after asking only"):
        yield "absent"
        return
    if not rules.can_be_asked:
        yield "unclear" if rules.hold("an opaque target proves nothing") else "absent"
        return
    if not rules.reachable:
        yield "unclear"
    if happened and not state.target.forgotten:
        yield "found"
    if not happened or state.target.forgotten or rules.target == "probe":
        yield "absent"


def asked(rules: Rules, state: State, me: str) -> Steps:
    finding = state.worker(me).heard
    if finding == "found":
        return _settles(rules, state, me, "succeeded", "ready", "records that it happened")
    if finding == "absent" and _is_proof(rules):
        return _absent(rules, state, me)
    return _unclear(rules, state, me)


def _is_proof(rules: Rules) -> bool:
    return {
        "idempotent": True,
        "probe": not rules.hold("not found is no proof"),
        "opaque": not rules.hold("an opaque target proves nothing"),
    }[rules.target]


def _absent(rules: Rules, state: State, me: str) -> Steps:
    """Believed when no earlier call can still land and the key is surely not forgotten."""
    if not _settled(rules, state):
        waiting = state.with_worker(me, at="waits", heard="")
        yield Step(name_of(me), "waits: an earlier call may still land"), waiting
    elif state.target.forgotten and rules.hold("a call is sent again in the window only"):
        yield from _settles(rules, state, me, "unknown", "unsure", "records: the key is forgotten")
    else:
        yield from _settles(rules, state, me, "prepared", "ready", "prepares the effect again")


def _unclear(rules: Rules, state: State, me: str) -> Steps:
    if not rules.hold("what cannot be asked never lapses") and (
        state.target.drifted or state.target.acts
    ):
        yield from through(
            rules,
            state,
            me,
            "lapse",
            lambda s: doors.lapsed(s, me, "executing", "unknown"),
            "lapses the approval: the world changed",
        )
        return
    places = ("unsure", "waits") if rules.can_be_asked else ("unsure",)
    for at in places:
        yield from _settles(rules, state, me, "unknown", at, "records that nobody knows")


def _settles(rules: Rules, state: State, me: str, status: str, at: str, what: str) -> Steps:
    return through(
        rules, state, me, "reconcile", lambda s: doors.settled(rules, s, me, status, at), what
    )
