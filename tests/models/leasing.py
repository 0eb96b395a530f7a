"""Leases, and what befalls the workers that hold them."""

from .doors import Step, Steps, name_of
from .rules import Rules
from .state import WORKERS, State, ended, renumbered


def claim(rules: Rules, state: State) -> Steps:
    """A worker takes a run that needs one and that nobody holds. Both are alike: A goes first."""
    if state.run.lease == "live" or not _needs_a_worker(rules, state):
        return
    for me in WORKERS:
        worker = state.worker(me)
        if worker.life == "alive" and worker.at == "idle":
            yield Step(name_of(me), "claims the run"), _claimed(rules, state, me)
            return


def _needs_a_worker(rules: Rules, state: State) -> bool:
    working = state.run.status in ("running", "reconciling")
    if working and state.run.token and not rules.hold("the sweep finds who was lost"):
        return False
    return not ended(state) and (working or state.run.wake)


def _claimed(rules: Rules, state: State, me: str) -> State:
    state = renumbered(state)
    grown = 1 if rules.hold("a claim grows the token") else 0
    token = max(state.run.token + grown, 1)
    status = "reconciling" if rules.hold("a claim leads to reconciling") else "running"
    state = state.with_run(token=token, lease="live", extended=False, wake=False, status=status)
    return state.with_worker(me, at="ready", token=token).appended(by=me)


def misfortune(rules: Rules, state: State) -> Steps:
    """Who holds the run freezes or dies at any place of its program. That anybody else may be
    slow for any time is in the model without a word of its own."""
    if not state.mishaps or state.run.lease != "live":
        return
    for me in WORKERS:
        worker = state.worker(me)
        if worker.token != state.run.token or worker.life != "alive":
            continue
        if worker.at != "looked" or rules.zombies:
            frozen = state.with_worker(me, life="frozen").with_mishap()
            yield Step("fate", f"freezes {name_of(me)} ({worker.at})"), frozen
        dead = state.idle(me).with_worker(me, life="dead").with_mishap()
        yield Step("fate", f"kills {name_of(me)} ({worker.at})"), dead


def recovery(rules: Rules, state: State) -> Steps:
    for me in WORKERS:
        life = state.worker(me).life
        if life == "frozen":
            yield Step(name_of(me), "wakes"), state.with_worker(me, life="alive")
        elif life == "dead":
            yield Step(name_of(me), "is started anew"), state.idle(me)


def renewal(rules: Rules, state: State) -> Steps:
    """A living holder's lease never lapses here. One that has lapsed stays so."""
    if rules.hold("renewing revives nothing") or state.run.lease != "lapsed":
        return
    for me in WORKERS:
        worker = state.worker(me)
        mine = worker.token == state.run.token and worker.at != "idle"
        if worker.life == "alive" and mine:
            yield Step(name_of(me), "renews its lapsed lease"), state.with_run(lease="live")
