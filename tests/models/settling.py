"""After the call: verify by reading the target, then commit, wait, ask a person, or end."""

from collections.abc import Callable

from . import doors
from .doors import Step, Steps, name_of, through
from .rules import Rules
from .state import State

Move = Callable[[Rules, State, str], Steps]


def reads(rules: Rules, state: State, me: str) -> Steps:
    seen = "seen" if state.target.acts else "not seen"
    yield (
        Step(name_of(me), f"reads the target: {seen}"),
        state.with_worker(me, at="read", heard=seen),
    )


def verifies(rules: Rules, state: State, me: str) -> Steps:
    seen = state.worker(me).heard == "seen"
    for said in ("passed",) if seen else ("not_yet", "unverifiable"):
        at = "waits" if said == "not_yet" else "ready"

        def change(s: State, said: str = said, at: str = at) -> State:
            s = s.with_effect(verification=said).with_run(stage=said)
            return s.with_worker(me, at=at, heard="")

        yield from through(rules, state, me, "verify", change, f"writes the verification: {said}")


def waits(rules: Rules, state: State, me: str) -> Steps:
    def change(s: State) -> State:
        return doors.parked(s, me, "waiting_external", wake=rules.hold("a wait has a timer"))

    return through(rules, state, me, "park", change, "parks the run for a while")


def commits(rules: Rules, state: State, me: str) -> Steps:
    if not rules.hold("a run ends after the commit"):
        return ends("completed")(rules, state, me)
    return through(
        rules, state, me, "commit", lambda s: doors.committed(rules, s, me), "commits the effect"
    )


def hands_over(rules: Rules, state: State, me: str) -> Steps:
    def change(s: State) -> State:
        return doors.parked(s, me, "paused", wake=False)

    return through(rules, state, me, "pause", change, "raises an alert and asks a person")


def ends(status: str) -> Move:
    def move(rules: Rules, state: State, me: str) -> Steps:
        return through(
            rules, state, me, "end", lambda s: doors.over(s, me, status), f"ends the run: {status}"
        )

    return move
