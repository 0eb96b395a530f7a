"""What reviewers say of a proposal."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from engine import approval, conf, states
from engine.canonical import check, packed
from engine.errors import AlreadyDecided, BadInput, NotPermitted
from engine.hints import hint
from engine.identity import uuid7
from engine.store import deciding, step_ups
from engine.types import Facts

from .reasons import must_have_a_reason
from .who import Reviewer


def why_not_decide(reviewer: Reviewer, version_id: uuid.UUID) -> str | None:
    """Why this person may not decide this proposal version now; None when they may."""
    return approval.why_not_decide(reviewer.person_id, version_id)


def decide(
    run_id: uuid.UUID,
    version_id: uuid.UUID,
    *,
    reviewer: Reviewer,
    proposal_id: uuid.UUID,
    version: int,
    digest: str,
    decision: str,
    reason: str = "",
    reason_code: str | None = None,
    question: str | None = None,
    challenge: str | None = None,
    seen: Facts | None = None,
    session: str = "",
) -> None:
    """Say approve, reject or return of exactly what `digest` commits to.

    `challenge` is what the reviewer typed; where the terms ask for a value, an approval needs it.
    `session` is the one in which they have stepped up, where the rule asks for that.

    Raises BadInput for anything but one of the named decisions with a reason (a returned one
    needs its question); ChallengeFailed; NotPermitted, AlreadyDecided, Expired, DigestMismatch,
    StepUpNeeded, Stopped, Conflict.
    """
    _check_decision(decision, reason, reason_code, question)
    check(challenge, "$.challenge")
    facts = {
        "decision_id": str(uuid7()),
        "id": str(version_id),
        "proposal_id": str(proposal_id),
        "version": version,
        "digest": digest,
        "decision": decision,
        "reason": reason,
        "reason_code": reason_code,
        "question": question,
        "challenge": challenge,
        "person": reviewer.person_id,
        "person_name": reviewer.name,
        "seen": seen or {},
    }
    heard(lambda: deciding.decide(run_id, reviewer.actor, packed(facts), session))
    hint(run_id)


def note_refused_decision(
    run_id: uuid.UUID,
    version_id: uuid.UUID,
    *,
    reviewer: Reviewer,
    proposal_id: uuid.UUID,
    version: int,
    decision: str,
    why: str,
) -> None:
    """Somebody wanted to decide without a proof of what they were shown: a fact of the run.

    Raises NotFound.
    """
    facts = {
        "id": str(version_id),
        "proposal_id": str(proposal_id),
        "version": version,
        "decision": decision,
        "person": reviewer.person_id,
        "person_name": reviewer.name,
        "why": why,
    }
    deciding.note_refused_decision(run_id, reviewer.actor, packed(facts))


def take_back_approval(
    run_id: uuid.UUID, version_id: uuid.UUID, *, reviewer: Reviewer, reason: str
) -> None:
    """Take one's own approval back before anything was sent. The version lapses, whoever else has
    approved it, and it is asked anew. Raises BadInput, NotFound, Conflict."""
    must_have_a_reason(reason)
    facts = {"id": str(version_id), "person": reviewer.person_id, "reason": reason.strip()}
    deciding.take_back_approval(run_id, reviewer.actor, packed(facts))
    hint(run_id)


def step_up(
    version_id: uuid.UUID,
    *,
    reviewer: Reviewer,
    version: int,
    digest: str,
    factor: str,
    session: str,
) -> None:
    """This person has shown a second factor of this kind (`states.FACTORS`), to approve exactly
    what `digest` commits to. It counts in this session (SHA-256, hex), once and for a few minutes.

    Raises what an approval would, and NotPermitted where such a factor does not count.
    """
    facts = {
        "step_up_id": str(uuid7()),
        "id": str(version_id),
        "version": version,
        "digest": digest,
        "decision": "approve",
        "factor": factor,
        "person": reviewer.person_id,
        "person_name": reviewer.name,
    }
    lasts = conf.step_up_seconds()
    heard(lambda: step_ups.step_up(reviewer.actor, packed(facts), session, lasts))


def heard(door: Callable[[], Mapping[str, Any]]) -> None:
    """Go through a door of a reviewer's. Raises NotPermitted where they lack the authority, and
    AlreadyDecided with `status`, `person` and `at` in its facts."""
    try:
        told = door()
    except AlreadyDecided as problem:
        status, name, at = str(problem.facts["detail"]).split("|")
        raise AlreadyDecided(
            f"{name} {status} this already.", status=status, person=name, at=at
        ) from problem
    if "refused" in told:
        raise NotPermitted(f"{told['refused'][0].upper()}{told['refused'][1:]}.")


def _check_decision(
    decision: object, reason: str, reason_code: str | None, question: str | None
) -> None:
    if not isinstance(decision, str) or decision not in states.DECISIONS:
        names = ", ".join(states.DECISIONS)
        raise BadInput(f"A decision is one of: {names}.", path="$.decision")
    for name, text in (("reason", reason), ("question", question or "")):
        check(text, f"$.{name}")
    if decision == "return" and not (question or "").strip():
        raise BadInput("Ask your question.", path="$.question")
    if decision != "return" and not (reason.strip() or reason_code):
        raise BadInput("Give a reason.", path="$.reason")
