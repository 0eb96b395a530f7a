"""What must hold, by name: of a state, and of a step from one state to the next."""

from collections.abc import Callable, Mapping

from engine.states import EFFECT, PROPOSAL, RUN, may_move, terminal

from .doors import Step
from .rules import Rules
from .state import WORKERS, State, ended

STRANDED = "no_run_is_stranded"
"""Checked over the whole graph: see `exploring.stranded`."""


def one_outside_effect_per_key(rules: Rules, state: State) -> bool:
    return state.target.acts <= 1


def no_blind_resend(rules: Rules, state: State) -> bool:
    """A target that does not honour keys is called once, whatever is not known."""
    return rules.target == "idempotent" or state.target.sent <= 1


def what_was_refused_never_executes(rules: Rules, state: State) -> bool:
    """Rejected, expired, withdrawn or lapsed: nothing happens, not even late."""
    return not state.target.acts or state.proposal.status == "approved"


def what_failed_did_not_happen(rules: Rules, state: State) -> bool:
    return state.effect.status != "failed" or not state.target.acts


def committed_means_verified(rules: Rules, state: State) -> bool:
    return not state.effect.committed or state.effect.verification == "passed"


def committed_means_it_happened(rules: Rules, state: State) -> bool:
    return not state.effect.committed or state.target.acts == 1


def completed_means_committed(rules: Rules, state: State) -> bool:
    return state.run.status != "completed" or state.effect.committed


OF_STATES: Mapping[str, Callable[[Rules, State], bool]] = {
    rule.__name__: rule
    for rule in (
        one_outside_effect_per_key,
        no_blind_resend,
        what_was_refused_never_executes,
        what_failed_did_not_happen,
        committed_means_verified,
        committed_means_it_happened,
        completed_means_committed,
    )
}


def no_effect_without_an_approval_at_intend(before: State, step: Step, after: State) -> bool:
    proposal = before.proposal
    valid = proposal.status == "approved" and not proposal.overdue and proposal.authority
    return valid or not _begins(before, after)


def a_stop_holds_from_its_commit(before: State, step: Step, after: State) -> bool:
    return not (before.stopped and _begins(before, after))


def _begins(before: State, after: State) -> bool:
    return after.effect.status == "executing" != before.effect.status


def a_stale_token_changes_nothing(before: State, step: Step, after: State) -> bool:
    """Neither one that was taken over nor one whose lease has lapsed; claiming gives a new one."""
    if step.what == "claims the run" or not step.who.startswith("worker") or _same(before, after):
        return True
    me = WORKERS[0] if step.who.endswith("A") else WORKERS[1]
    return before.worker(me).token == before.run.token and not before.worker(me).lost


def _same(before: State, after: State) -> bool:
    return _facts(before) == _facts(after)


def _facts(state: State) -> tuple[object, ...]:
    effect = state.effect
    told = (effect.status, effect.verification, effect.committed)
    return (state.run.status, state.run.stage, state.proposal, *told)


_CLOSED, _SETTLED = terminal(PROPOSAL), terminal(EFFECT)


def terminal_is_terminal(before: State, step: Step, after: State) -> bool:
    """Of the run, its proposal and its effect."""
    if ended(before):
        return before.run.status == after.run.status and before.run.stage == after.run.stage
    proposal, effect = before.proposal.status, before.effect.status
    return (proposal not in _CLOSED or proposal == after.proposal.status) and (
        effect not in _SETTLED or effect == after.effect.status
    )


def the_state_tables_hold(before: State, step: Step, after: State) -> bool:
    return (
        _moves(RUN, before.run.status, after.run.status)
        and _moves(PROPOSAL, before.proposal.status, after.proposal.status, first="open")
        and _moves(EFFECT, before.effect.status, after.effect.status, first="prepared")
    )


def _moves(machine: Mapping[str, tuple[str, ...]], old: str, new: str, first: str = "") -> bool:
    return old == new or may_move(machine, old, new) or (old == "none" and new == first)


OF_STEPS: Mapping[str, Callable[[State, Step, State], bool]] = {
    rule.__name__: rule
    for rule in (
        no_effect_without_an_approval_at_intend,
        a_stop_holds_from_its_commit,
        a_stale_token_changes_nothing,
        terminal_is_terminal,
        the_state_tables_hold,
    )
}

NAMES = (*OF_STATES, *OF_STEPS, STRANDED)


def broken_by_step(before: State, step: Step, after: State) -> str | None:
    """The first invariant that this step breaks."""
    if (
        before.run is after.run
        and before.effect is after.effect
        and before.proposal is after.proposal
    ):
        return None
    return next((name for name, holds in OF_STEPS.items() if not holds(before, step, after)), None)


def broken_in(rules: Rules, state: State) -> str | None:
    """The first invariant that does not hold in this state."""
    return next((name for name, holds in OF_STATES.items() if not holds(rules, state)), None)
