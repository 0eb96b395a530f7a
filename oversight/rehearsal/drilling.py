"""Drill the stop: on one real run, with real workers, see that it holds whatever it has to hold.

Read `_play` as the story it is. The stop is for that one run, so nothing else stands still.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from engine import actions, api, auditing, rehearsing
from engine.actions import Action
from engine.canonical import frozen
from engine.errors import Stopped
from engine.models import Proposal
from engine.rehearsing import Played

from .casting import Cast
from .performing import Notes, Say, approve, asked_for, found, played
from .stage import Stage

REASON = "A drill of the stop."


def drill(
    action: type[Action], cast: Cast, *, environment: Mapping[str, str] | None = None, say: Say
) -> Played:
    """Play it with this action's rehearsal target. Workers get `environment` beside this process's
    own."""
    return played(_play, action, cast, environment=environment, say=say)


def _play(
    action: Action, cast: Cast, notes: Notes, folder: Path, environment: Mapping[str, str]
) -> None:
    arguments = action.rehearsal() or {}
    before = found(action, arguments)
    notes.run_id = asked_for(action, arguments, cast)
    stage = Stage(notes.run_id, folder, environment)
    stage.advance()
    _nothing_is_approved(stage, cast, notes)
    approved = _approved(stage, cast, notes)
    _nothing_is_sent(stage, cast, notes)
    _asked_anew(stage, approved, notes)
    _end(stage, cast, notes)
    same = frozen(found(action, arguments)) == frozen(before)
    notes.check("The target is as it was before", same)
    notes.check("The log verifies", auditing.run_once(stage.run_id).intact)


@contextmanager
def _stopped(stage: Stage, cast: Cast, notes: Notes) -> Iterator[None]:
    """The run is stopped meanwhile, and let go on whatever happens."""
    operator, scope = cast.speaks(cast.operator), f"run:{stage.run_id}"
    stop_id = api.stop(operator, REASON, scope=scope)
    notes.note("Stopped", scope, at=stage.clock())
    try:
        yield
    finally:
        receipt = api.halt_receipt(stop_id)
        api.go_on(operator, REASON, scope=scope)
        notes.note("Let go on", at=stage.clock())
    told = [effect["told"] for effect in receipt["effects"]]
    notes.check("The halt receipt says that nothing was sent", set(told) <= {"not started"}, told)
    notes.check("It was safe from the first moment on", receipt["seconds_to_safe"] == 0.0, receipt)


def _nothing_is_approved(stage: Stage, cast: Cast, notes: Notes) -> None:
    refused = False
    with _stopped(stage, cast, notes):
        try:
            approve(stage, cast)
        except Stopped:
            refused = True
    notes.check("Under the stop nothing was approved", refused)
    notes.note("An approval was refused" if refused else "An approval was taken")


def _approved(stage: Stage, cast: Cast, notes: Notes) -> Proposal:
    """A sweep may have lapsed what was open under the stop; then it is asked anew first."""
    if stage.proposal().status != "open":
        stage.advance()
    approve(stage, cast)
    notes.note("Approved", f"by {' and '.join(map(str, cast.reviewers))}")
    return stage.proposal()


def _nothing_is_sent(stage: Stage, cast: Cast, notes: Notes) -> None:
    with _stopped(stage, cast, notes):
        stage.advance()
        run = stage.run()
        stands = (run.status, run.reason_code)
        notes.note("A worker came to it", f"the run is {run.status}")
        notes.check("A worker left it standing", stands == ("paused", "stop"), stands)
    sent = stage.count("effect_intended")
    notes.check("Nothing was sent of what had been approved", sent == 0, sent)


def _asked_anew(stage: Stage, approved: Proposal, notes: Notes) -> None:
    stage.advance()
    now = stage.proposal()
    notes.note("Asked anew", f"as version {now.version}")
    seen = f"version {now.version} is {now.status}"
    anew = now.status == "open" and now.version > approved.version
    notes.check("After it, what had been approved was asked anew", anew, seen)


def _end(stage: Stage, cast: Cast, notes: Notes) -> None:
    api.cancel_run(stage.run_id, operator=cast.speaks(cast.operator), reason=REASON)
    stage.advance()
    status = stage.run().status
    notes.check("The run ended without an effect", status == "cancelled", status)


def can_be_drilled() -> type[Action] | None:
    """The first action that has a target which is there for such things."""
    known = actions.registered()
    return next((action for action in known if not rehearsing.why_not(action)), None)
