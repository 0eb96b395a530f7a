"""Play one rehearsal from its beginning to its end: done, killed, recovered, rolled back, restored.

Read `_play` as the story it is. Whatever breaks off ends the rehearsal as failed, and is kept.
"""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from engine import actions, api, auditing, concealing, rehearsing
from engine.actions import Action
from engine.canonical import as_said, frozen
from engine.models import Effect, Proposal
from engine.rehearsing import Assertion, Moment, Played
from oversight.embedded.folders import discard, short_private_folder
from oversight.embedded.guardian import is_alive
from oversight.models import Person

from .casting import Cast
from .stage import Stage

AGENT = rehearsing.INITIATOR
Say = Callable[[str], None]


@dataclass(slots=True, kw_only=True)
class Notes:
    """What happened and what held, as it comes."""

    say: Say
    timeline: list[Moment] = field(default_factory=list)
    assertions: list[Assertion] = field(default_factory=list)
    run_id: uuid.UUID | None = None
    recovery_seconds: float | None = None

    def note(self, what: str, detail: str = "", *, at: datetime | None = None) -> None:
        when = (at or rehearsing.now()).isoformat()
        self.timeline.append(Moment(at=when, what=what, detail=detail))
        self.say(f"{what} {detail}".rstrip())

    def check(self, what: str, holds: object, seen: object = "") -> None:
        detail = "" if holds else str(seen)
        self.assertions.append(Assertion(what=what, holds=bool(holds), detail=detail))


Story = Callable[[Action, Cast, Notes, Path, Mapping[str, str]], None]


def perform(
    action: type[Action], cast: Cast, *, environment: Mapping[str, str] | None = None, say: Say
) -> Played:
    """Play it. The workers are started with `environment` beside this process's own."""
    return played(_play, action, cast, environment=environment, say=say)


def played(
    story: Story,
    action: type[Action],
    cast: Cast,
    *,
    environment: Mapping[str, str] | None,
    say: Say,
) -> Played:
    """What this story has come to, good or bad."""
    notes, began = Notes(say=say), rehearsing.now()
    folder = short_private_folder()
    try:
        story(action(), cast, notes, folder, environment or {})
    except Exception as problem:
        notes.note("Broke off", f"{type(problem).__name__}: {problem}")
        notes.check("It was played to its end", False, problem)
    finally:
        discard(folder)
    return Played(
        action=action.name,
        action_version=action.version,
        run_id=notes.run_id,
        started_at=began,
        ended_at=rehearsing.now(),
        recovery_seconds=notes.recovery_seconds,
        timeline=notes.timeline,
        assertions=notes.assertions,
    )


def _play(
    action: Action, cast: Cast, notes: Notes, folder: Path, environment: Mapping[str, str]
) -> None:
    arguments = action.rehearsal() or {}
    before = found(action, arguments)
    notes.run_id = asked_for(action, arguments, cast)
    stage = Stage(notes.run_id, folder, environment)
    stage.advance()
    approve(stage, cast)
    approved_by = " and ".join(map(str, cast.reviewers))
    notes.note("Approved", f"by {approved_by}; the target is as it was found")
    _kill(stage, notes)
    _recover(stage, action, notes)
    if stage.effect().status == "succeeded":
        _take_back(stage, action, cast, notes)
    after = found(action, arguments)
    same = frozen(after) == frozen(before)
    notes.check("The target is as it was before", same, f"{before} → {after}")
    notes.check("The log verifies", auditing.run_once(stage.run_id).intact)
    notes.note("Looked at the target again", "as it was" if same else "not as it was")


def found(action: Action, arguments: Mapping[str, Any]) -> Any:
    """What the action's precondition reads at the target now."""
    found = action.precondition(actions.validated(action, arguments))
    return concealing.without_secrets(as_said(found))


def asked_for(action: Action, arguments: Mapping[str, Any], cast: Cast) -> uuid.UUID:
    initiator = api.Initiator(actor=AGENT, person_id=cast.operator.pk)
    labels = {"rehearsal": action.label(), "reserved_for": rehearsing.OWNER}
    run_id = api.start_run("agent", initiator=initiator, labels=labels)
    api.request_effect(
        run_id,
        agent=AGENT,
        action=action.name,
        action_version=action.version,
        arguments=arguments,
        why="A rehearsal of its rollback plan, on a target that is there for this.",
    )
    return run_id


def approve(stage: Stage, cast: Cast) -> None:
    """Exactly what lies there, and for a target that nothing else uses. Raises RuntimeError where
    these people are not enough for the rule that holds."""
    for reviewer in cast.reviewers:
        if stage.proposal().status == "open":
            _said_by(reviewer, stage.proposal(), cast)
    if stage.proposal().status != "approved":
        raise RuntimeError("These people are too few: the policy asks for more, or for others.")


def _said_by(reviewer: Person, proposal: Proposal, cast: Cast) -> None:
    api.decide(
        proposal.run_id,
        proposal.pk,
        reviewer=cast.speaks(reviewer),
        proposal_id=proposal.proposal_id,
        version=proposal.version,
        digest=proposal.digest,
        decision="approve",
        reason=f"A rehearsal, started by {cast.operator}.",
        challenge=json.loads(bytes(proposal.terms))["challenge"],
    )


def _kill(stage: Stage, notes: Notes) -> None:
    pid = stage.killed_at("executed")
    at = stage.clock()
    notes.note("Done at the target, and the worker killed", f"process {pid}, SIGKILL", at=at)
    notes.check("The killed worker is gone", not is_alive(pid), pid)
    status = stage.effect().status
    notes.check("Nobody had written down what it did", status == "executing", status)


def _recover(stage: Stage, action: Action, notes: Notes) -> None:
    killed = datetime.fromisoformat(notes.timeline[-1].at)
    effect = stage.settled(action)
    seen = f"{effect.verification}; the run is {stage.run().status}"
    notes.check("Another worker committed it", effect.committed_at, seen)
    notes.check("It was sent once", effect.attempt == 1, f"{effect.attempt} attempts")
    asked = stage.count("effect_reconciled")
    notes.check("The target was asked by key before anything else", asked)
    if effect.committed_at:
        notes.recovery_seconds = (effect.committed_at - killed).total_seconds()
        seconds = f"{notes.recovery_seconds:.1f} s after the kill"
        notes.note("Recovered, verified, committed", seconds, at=effect.committed_at)


def _take_back(stage: Stage, action: Action, cast: Cast, notes: Notes) -> None:
    api.roll_back(
        stage.run_id, operator=cast.speaks(cast.operator), reason="A rehearsal ends as it began."
    )
    run = stage.rolled_back(action)
    notes.check("The run ended as rolled back", run.status == "rolled_back", run.reason_code)
    rollback: Effect | None = stage.rollback()
    verified = rollback is not None and rollback.committed_at is not None
    notes.check("The rollback was verified at the target", verified)
    if rollback is not None and rollback.committed_at:
        notes.note("Rolled back, verified", rollback.action, at=rollback.committed_at)
