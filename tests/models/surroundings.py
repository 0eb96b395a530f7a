"""The clock, as the order in which things come to pass, and the target at which calls land."""

from collections.abc import Iterator

from engine.states import IN_FLIGHT

from .doors import Step, Steps
from .rules import Rules
from .state import WORKERS, State, ended


def lease_lapses(rules: Rules, state: State) -> Steps:
    """Of a holder that is frozen or dead; after Intend not before deadline and margin."""
    early = state.run.extended and state.effect.deadline != "settled"
    if state.run.lease == "live" and not early and not _renews(state):
        yield Step("the clock", "the lease lapses"), _lapsed(state)


def _renews(state: State) -> bool:
    token = state.run.token
    return any(w.token == token and w.life == "alive" for w in (state.a, state.b))


def _lapsed(state: State) -> State:
    for me in WORKERS:
        if state.worker(me).token == state.run.token:
            state = state.with_worker(me, lost=True)
    return state.with_run(lease="lapsed")


def deadline_passes(rules: Rules, state: State) -> Steps:
    """First for sending, then for landing. A living worker sends at once after its last look."""
    if state.effect.deadline == "running" and _counts(state):
        yield Step("the clock", "the call's deadline passes"), state.with_effect(deadline="over")
    sending = any(w.at == "looked" and w.life == "alive" for w in (state.a, state.b))
    if state.effect.deadline == "over" and _counts(state) and not sending:
        settled = state.with_effect(deadline="settled").with_target(flight=())
        what = "the margin passes: nothing is under way any more"
        if state.run.extended and not _renews(state) and not rules.kept:
            settled, what = _lapsed(settled), f"{what}, and the lease lapses"
        yield Step("the clock", what), settled


def _counts(state: State) -> bool:
    """Somebody still reads this clock, or waits for it."""
    waited_for = state.run.extended and state.run.lease == "live"
    return bool(state.target.flight) or state.effect.status in IN_FLIGHT or waited_for


def window_closes(rules: Rules, state: State) -> Steps:
    unsettled = rules.zombies or state.effect.status in IN_FLIGHT
    if rules.target != "idempotent" or not state.target.acts or not unsettled:
        return
    if not state.target.forgotten:
        forgotten = state.with_target(forgotten=True)
        yield Step("the clock", "the target forgets the key"), forgotten


def time_is_over(rules: Rules, state: State) -> Steps:
    """Of a proposal that is open or approved."""
    if still_asked_for(state) and not state.proposal.overdue and not rules.lasting:
        yield Step("the clock", "the proposal's time is over"), state.with_proposal(overdue=True)


def still_asked_for(state: State) -> bool:
    """Somebody may still ask for what an approval rests on. What changes while nobody asks is the
    same as what changes just before, so it need not be told apart."""
    unsent = state.effect.status in ("none", "prepared")
    return unsent and state.proposal.status in ("open", "approved") and not ended(state)


def landing(rules: Rules, state: State) -> Steps:
    """A call that is under way arrives, and its answer reaches the sender or does not."""
    for token in sorted(set(state.target.flight)):
        rest = list(state.target.flight)
        rest.remove(token)
        arrived = state.with_target(flight=tuple(rest))
        for what, answer, after in _carried_out(rules, arrived, token):
            yield from _answered(after, token, what, answer)


def _carried_out(rules: Rules, state: State, token: int) -> Iterator[tuple[str, str, State]]:
    target = state.target
    if rules.fenced and token < target.fence:
        yield "refuses an old token", "no", state
    elif rules.target == "idempotent" and target.acts and not target.forgotten:
        yield "knows the key and does nothing twice", "yes", state
    else:
        yield "carries the call out", "yes", state.with_target(acts=min(target.acts + 1, 2))
        yield "says no", "no", state
        yield "says yes and does nothing", "yes", state


def _answered(state: State, token: int, what: str, answer: str) -> Steps:
    senders = [
        m for m in WORKERS if state.worker(m).token == token and state.worker(m).at == "sent"
    ]
    if not senders:
        yield Step("the target", f"{what}; nobody hears it"), state
        return
    heard = state.with_worker(senders[0], at="answered", heard=answer)
    yield Step("the target", what), heard
    if state.mishaps:
        silent = state.with_worker(senders[0], at="answered", heard="nothing").with_mishap()
        yield Step("fate", f"the target {what}, and the answer is lost"), silent
