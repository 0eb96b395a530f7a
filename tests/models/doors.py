"""The doors of the model: what a transition asks under the run's row lock, and what it writes."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from .rules import Rules
from .state import State


class Step(NamedTuple):
    who: str
    what: str


Steps = Iterator[tuple[Step, State]]
Change = Callable[[State], State]


class LeaseLost(Exception):
    pass


class Behind(Exception):
    pass


class Refused(Exception):
    pass


def name_of(me: str) -> str:
    return f"worker {me.upper()}"


def through(rules: Rules, state: State, me: str, door: str, change: Change, what: str) -> Steps:
    """One call of a worker's door: it writes, or it says why not and writes nothing."""
    who = name_of(me)
    try:
        _must_be_held(rules, state, me, door)
        _must_have_folded(rules, state, me, door)
        after = change(state)
    except LeaseLost:
        yield Step(who, f"({door}) is told that its lease is lost"), state.idle(me)
    except Behind:
        yield Step(who, f"({door}) is told the news and folds it"), _folded(state, me)
    except Refused as no:
        yield Step(who, f"({door}) is refused: {no}"), state.with_worker(me, at="refused")
    else:
        yield Step(who, what), after.appended(by=me)


def _must_be_held(rules: Rules, state: State, me: str, door: str) -> None:
    if door == "record" and not rules.hold("record asks for the token"):
        return
    if state.worker(me).token != state.run.token and rules.hold("doors ask for the token"):
        raise LeaseLost
    if state.run.lease != "live" and rules.hold("doors ask whether the lease is live"):
        raise LeaseLost


def _must_have_folded(rules: Rules, state: State, me: str, door: str) -> None:
    """What a call came to is written whatever else has happened: it insists."""
    asked = {"park": "park asks what was folded", "intend": "the gate asks what was folded"}
    if door != "record" and state.worker(me).behind and rules.hold(asked.get(door, "")):
        raise Behind


def _folded(state: State, me: str) -> State:
    return state.with_worker(me, at="ready", knows=state.run.stage, behind=False, heard="")


def must_be_allowed(rules: Rules, state: State, *, gate: bool) -> None:
    """What Prepare asks early and Intend asks for good. Raises Refused."""

    def asked(rule: str) -> bool:
        return not gate or rules.hold(rule)

    if state.stopped and asked("the gate asks for stops"):
        raise Refused("there is a stop")
    if state.proposal.status != "approved" and asked("the gate asks for the decision"):
        raise Refused(f"the proposal is {state.proposal.status}")
    if state.proposal.overdue and asked("the gate asks for the time"):
        raise Refused("the approval's time is over")
    if not state.proposal.authority and asked("the gate asks for authority"):
        raise Refused("who approved it may no longer")


def prepared(rules: Rules, state: State) -> State:
    must_be_allowed(rules, state, gate=False)
    return state.with_effect(status="prepared").with_run(stage="prepared")


def intended(rules: Rules, state: State, me: str) -> State:
    if state.effect.status != "prepared" and rules.hold("the gate asks for the effect"):
        raise Refused(f"the effect is {state.effect.status}")
    must_be_allowed(rules, state, gate=True)
    token = state.worker(me).token
    state = state.with_effect(status="executing", token=token, deadline="running")
    extended = rules.hold("intend extends the lease")
    return state.with_run(stage="executing", extended=extended).with_worker(me, at="intended")


def recorded(rules: Rules, state: State, me: str) -> State:
    mine = state.effect.token == state.worker(me).token
    if state.effect.status != "executing" or not (
        mine or not rules.hold("record asks for the token")
    ):
        raise Refused(f"the effect is {state.effect.status}")
    outcome = {"yes": "succeeded", "no": "failed", "nothing": "unknown"}[state.worker(me).heard]
    if outcome == "unknown" and not rules.hold("no answer is unknown"):
        outcome = "failed"
    return settled(rules, state, me, outcome)


def settled(rules: Rules, state: State, me: str, status: str, at: str = "ready") -> State:
    """What became of a call, whether its answer or a probe told it."""
    if state.effect.status not in ("executing", "unknown"):
        raise Refused(f"the effect is {state.effect.status}")
    stage, verification = status, state.effect.verification
    if status == "succeeded" and not rules.hold("an answer is no verification"):
        stage = verification = "passed"
    if status == "succeeded" and not rules.hold("what was recorded is verified"):
        stage = "passed"
    state = state.with_effect(status=status, verification=verification)
    return state.with_run(stage=stage).with_worker(me, at=at, heard="")


def lapsed(state: State, me: str, *states: str) -> State:
    """The approval no longer holds; an effect in one of `states` counts as not sent."""
    if state.proposal.status != "approved" or state.effect.status not in ("none", *states):
        raise Refused("there is nothing that could lapse")
    if state.effect.status != "none":
        state = state.with_effect(status="failed")
    state = state.with_proposal(status="lapsed").with_run(stage="requested again", wake=False)
    return released(state).idle(me)


def released(state: State) -> State:
    return state.with_run(lease="none", extended=False)


def parked(state: State, me: str, status: str, *, wake: bool) -> State:
    return released(state).with_run(status=status, wake=wake).idle(me)


def committed(rules: Rules, state: State, me: str) -> State:
    passed = state.effect.verification == "passed"
    if not passed and rules.hold("what was recorded is verified"):
        raise Refused(f"verification is {state.effect.verification}")
    return state.with_effect(committed=True).with_run(stage="committed").with_worker(me, at="ready")


def over(state: State, me: str, status: str) -> State:
    return released(state).with_run(status=status, wake=False).idle(me)
