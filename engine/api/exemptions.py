"""Standing exemptions: proposed by administrators, given by those who decide, ended by one word."""

import uuid

from engine import conf, exemptions
from engine.canonical import check, packed
from engine.identity import uuid7
from engine.store import exemptions as doors
from engine.types import Facts

from .reasons import said
from .who import Reviewer


def propose_exemption(wish: Facts, *, administrator: Reviewer, reason: str) -> uuid.UUID:
    """Propose an exemption (see `engine.exemptions.Wish`); gives its id. It lets nothing through.

    Raises BadInput with the path of what is wrong with it; NotPermitted, also for what is never
    exempt: at high risk, without a way back, under a rule with a time to think or that demands a
    fresh rehearsal, with secrets among its arguments; RuleChanged.
    """
    facts, exemption_id = said(administrator, reason), uuid.uuid4()
    proposed_by = (administrator.person_id, administrator.name)
    content = exemptions.content(exemption_id, wish, proposed_by=proposed_by, reason=reason)
    doors.propose_exemption(administrator.actor, packed({**facts, "content": content.decode()}))
    return exemption_id


def why_not_exempt(reviewer: Reviewer, exemption_id: uuid.UUID) -> str | None:
    """Why this person may not approve this exemption now; None when they may."""
    return doors.why_not_exempt(reviewer.person_id, exemption_id)


def approve_exemption(
    exemption_id: uuid.UUID,
    *,
    reviewer: Reviewer,
    digest: str,
    reason: str,
    challenge: str | None = None,
    session: str = "",
) -> None:
    """Approve exactly the exemption that `digest` commits to. With enough approvals it stands.

    `challenge` is what the reviewer typed, `session` the one in which they have stepped up, where
    the rule asks for that. Raises BadInput, ChallengeFailed, NotFound, NotPermitted, Expired,
    DigestMismatch, RuleChanged, StepUpNeeded, Stopped, Conflict.
    """
    check(challenge, "$.challenge")
    facts = {
        "voice_id": str(uuid7()),
        "id": str(exemption_id),
        "digest": digest,
        "challenge": challenge,
        **said(reviewer, reason),
    }
    doors.approve_exemption(reviewer.actor, packed(facts), session)


def step_up_for_exemption(
    exemption_id: uuid.UUID, *, reviewer: Reviewer, digest: str, factor: str, session: str
) -> None:
    """This person has shown a second factor, to approve exactly what `digest` commits to. Raises
    what an approval would, and NotPermitted where such a factor does not count."""
    facts = {
        "step_up_id": str(uuid7()),
        "id": str(exemption_id),
        "digest": digest,
        "factor": factor,
        "person": reviewer.person_id,
        "person_name": reviewer.name,
    }
    doors.step_up_for_exemption(reviewer.actor, packed(facts), session, conf.step_up_seconds())


def end_exemption(exemption_id: uuid.UUID, *, person: Reviewer, reason: str) -> None:
    """End an exemption, or drop one that does not stand yet: one word of an administrator, or of
    somebody who may decide what it is for. What it let through and what is not sent is asked of
    people. Raises BadInput, NotFound, NotPermitted, Conflict."""
    doors.end_exemption(person.actor, packed({"id": str(exemption_id), **said(person, reason)}))
