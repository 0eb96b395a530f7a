"""What a worker that holds a run does next: one move at each place of its program."""

from collections.abc import Mapping
from dataclasses import replace

from . import doors
from .asking import asked, asks
from .doors import Step, Steps, name_of, through
from .rules import Rules
from .settling import Move, commits, ends, hands_over, reads, verifies, waits
from .state import WORKERS, State


def work(rules: Rules, state: State) -> Steps:
    """Every move that a living worker may make now."""
    for me in WORKERS:
        worker = state.worker(me)
        if worker.life == "alive" and worker.at != "idle":
            yield from _PLACES[worker.at](rules, state, me)


def _ready(rules: Rules, state: State, me: str) -> Steps:
    knows = state.worker(me).knows
    if state.run.status == "reconciling" and knows not in ("executing", "unknown"):
        return through(
            rules, state, me, "resume", lambda s: s.with_run(status="running"), "resumes the run"
        )
    return _STAGES[knows](rules, state, me)


def _opens(rules: Rules, state: State, me: str) -> Steps:
    def change(s: State) -> State:
        return s.with_proposal(status="open").with_run(stage="open")

    return through(rules, state, me, "open", change, "opens the proposal")


def _parks(rules: Rules, state: State, me: str) -> Steps:
    def change(s: State) -> State:
        return doors.parked(s, me, "waiting_approval", wake=False)

    return through(rules, state, me, "park", change, "parks the run until the decision")


def _prepares(rules: Rules, state: State, me: str) -> Steps:
    return through(
        rules, state, me, "prepare", lambda s: doors.prepared(rules, s), "prepares the effect"
    )


def _reads_premises(rules: Rules, state: State, me: str) -> Steps:
    who = name_of(me)
    if holds(rules, state):
        yield Step(who, "finds the precondition as approved"), state.with_worker(me, at="checked")
    else:
        yield Step(who, "finds the world changed"), state.with_worker(me, at="refused")


def holds(rules: Rules, state: State) -> bool:
    """Our own act may falsify the precondition as much as somebody else's does."""
    itself = state.target.acts and not rules.lasting
    return not state.target.drifted and not itself


def _intends(rules: Rules, state: State, me: str) -> Steps:
    if not rules.hold("the time is read under the lock") and not state.proposal.overdue:
        yield (
            Step(name_of(me), "reads the time, waits for the row"),
            state.with_worker(me, at="queued"),
        )
        return
    yield from through(
        rules, state, me, "intend", lambda s: doors.intended(rules, s, me), "intends the call"
    )


def _intends_at_last(rules: Rules, state: State, me: str) -> Steps:
    """Only a mutant comes here: its answer about the time is from before the wait."""
    rules = replace(rules, left_out=rules.left_out | {"the gate asks for the time"})
    return through(
        rules, state, me, "intend", lambda s: doors.intended(rules, s, me), "intends the call"
    )


def _lapses(rules: Rules, state: State, me: str) -> Steps:
    def change(s: State) -> State:
        return doors.lapsed(s, me, "prepared")

    return through(rules, state, me, "lapse", change, "lapses the approval; nothing was sent")


def _looks(rules: Rules, state: State, me: str) -> Steps:
    who, effect = name_of(me), state.effect
    in_time = effect.deadline == "running" and effect.token == state.worker(me).token
    if in_time or not rules.hold("the deadline is looked at last"):
        yield Step(who, "sees that there is time to send"), state.with_worker(me, at="looked")
    else:
        late = state.with_worker(me, at="answered", heard="nothing")
        yield Step(who, "sees that it is too late to send"), late


def _sends(rules: Rules, state: State, me: str) -> Steps:
    flight = tuple(sorted((*state.target.flight, state.worker(me).token)))
    sent = state.with_target(flight=flight, sent=min(state.target.sent + 1, 2))
    yield Step(name_of(me), "sends the call"), sent.with_worker(me, at="sent")


def _gives_up(rules: Rules, state: State, me: str) -> Steps:
    silent = state.with_worker(me, at="answered", heard="nothing")
    yield Step(name_of(me), "hears nothing in time"), silent


def _records(rules: Rules, state: State, me: str) -> Steps:
    heard = state.worker(me).heard
    for step, after in through(
        rules, state, me, "record", lambda s: doors.recorded(rules, s, me), f"records: {heard}"
    ):
        lost = after.worker(me).at == "idle"
        yield step, _noted_late(after, heard) if lost else after


def _noted_late(state: State, heard: str) -> State:
    """A late answer changes no state; when it contradicts the record, somebody is told."""
    contradicts = heard == "yes" and state.effect.status in ("failed", "prepared")
    return state.with_run(alerted=state.run.alerted or contradicts).appended()


_STAGES: Mapping[str, Move] = {
    "requested": _opens,
    "open": _parks,
    "approved": _prepares,
    "rejected": ends("cancelled"),
    "expired": ends("cancelled"),
    "withdrawn": ends("cancelled"),
    "prepared": _reads_premises,
    "executing": asks,
    "unknown": asks,
    "failed": ends("failed"),
    "succeeded": reads,
    "not_yet": reads,
    "unverifiable": hands_over,
    "passed": commits,
    "committed": ends("completed"),
}

_PLACES: Mapping[str, Move] = {
    "ready": _ready,
    "checked": _intends,
    "queued": _intends_at_last,
    "refused": _lapses,
    "intended": _looks,
    "looked": _sends,
    "sent": _gives_up,
    "answered": _records,
    "asked": asked,
    "unsure": hands_over,
    "waits": waits,
    "read": verifies,
}
