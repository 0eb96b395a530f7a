"""Those who decide: a reviewer, the agent that asked, an operator; and the sweep, which expires."""

from .doors import Step, Steps
from .rules import Rules
from .state import State, but, ended
from .surroundings import still_asked_for


def _closed(rules: Rules, state: State, status: str) -> State:
    """The proposal version is closed; a run that waits is woken."""
    state = state.with_proposal(status=status).with_run(stage=status).appended()
    if state.run.status.startswith("waiting") and rules.hold("a decision wakes the run"):
        state = state.with_run(wake=True)
    return state


def reviewer(rules: Rules, state: State) -> Steps:
    proposal = state.proposal
    if proposal.status == "open" and not proposal.overdue:
        if proposal.authority and not state.stopped:
            yield Step("the reviewer", "approves"), _closed(rules, state, "approved")
        yield Step("the reviewer", "rejects"), _closed(rules, state, "rejected")
    if proposal.status == "rejected" and not rules.hold("a decision is final"):
        yield Step("the reviewer", "approves after all"), _closed(rules, state, "approved")


def agent(rules: Rules, state: State) -> Steps:
    """It may withdraw as long as nothing has been sent."""
    if not state.turns or ended(state) or state.proposal.status not in ("open", "approved"):
        return
    unsent = state.effect.status in ("none", "prepared")
    if not unsent and rules.hold("what was sent cannot be withdrawn"):
        return
    after = _closed(rules, state, "withdrawn")
    if state.effect.status == "prepared" and rules.hold("withdrawing ends the effect"):
        after = after.with_effect(status="failed")
    yield Step("the agent", "withdraws"), after.with_turn()


def sweep(rules: Rules, state: State) -> Steps:
    overdue = state.proposal.status == "open" and state.proposal.overdue
    if overdue and rules.hold("the sweep expires"):
        yield Step("the sweep", "expires the proposal"), _closed(rules, state, "expired")


def operator(rules: Rules, state: State) -> Steps:
    """An operator has looked at the target, and says what is true there now."""
    if not state.turns or ended(state):
        return
    state, who = state.with_turn(), "the operator"
    if state.run.status == "paused" and not state.run.wake:
        yield Step(who, "lets the run go on"), _resumed(state)
    if state.effect.status != "unknown":
        return
    if state.target.acts:
        yield Step(who, "rules that it happened"), _ruled(state, "succeeded")
    elif state.effect.deadline == "settled" or not rules.hold("a ruling waits for the margin"):
        yield Step(who, "rules that it did not happen"), _ruled(state, "failed")


def _ruled(state: State, status: str) -> State:
    return state.with_effect(status=status).with_run(stage=status, wake=True).appended()


def _resumed(state: State) -> State:
    stage = "succeeded" if state.run.stage == "unverifiable" else state.run.stage
    return state.with_run(stage=stage, wake=True).appended()


def stop(rules: Rules, state: State) -> Steps:
    if not state.turns or not still_asked_for(state):
        return
    if state.stopped:
        yield Step("the operator", "lifts the stop"), but(state, stopped=False).with_turn()
    else:
        yield Step("the operator", "stops everything"), but(state, stopped=True).with_turn()


def elsewhere(rules: Rules, state: State) -> Steps:
    """The approver loses the role; somebody changes what the approval rests on."""
    if not state.turns or not still_asked_for(state):
        return
    state = state.with_turn()
    if state.proposal.authority:
        yield Step("an administrator", "revokes the role"), state.with_proposal(authority=False)
    if not state.target.drifted and state.effect.status == "prepared":
        yield Step("somebody", "changes the world"), state.with_target(drifted=True)
