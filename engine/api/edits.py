"""Reviewers put other arguments in place of those they were shown."""

import json
import uuid

from engine import actions, approval, concealing
from engine.canonical import check, packed
from engine.errors import BadInput, NotFound
from engine.hints import hint
from engine.models import Proposal
from engine.store import edits
from engine.types import Facts

from .reasons import must_have_a_reason
from .reviewers import heard
from .who import Reviewer


def why_not_edit(reviewer: Reviewer, version_id: uuid.UUID) -> str | None:
    """Why this person may not edit this proposal version now; None when they may."""
    return edits.why_not_edit(reviewer.person_id, version_id)


def edit(
    run_id: uuid.UUID,
    version_id: uuid.UUID,
    *,
    reviewer: Reviewer,
    version: int,
    digest: str,
    arguments: Facts,
    reason: str,
    seen: Facts | None = None,
) -> None:
    """Ask for the same action with other arguments; a worker opens that as a new version, by the
    rule that then holds for it.

    What was decided about `version` does not count for the new one, and who edited decides none of
    what follows. A fingerprint that is left where it stood keeps its secret. Raises BadInput with
    the path of an argument that is wrong, or where nothing was changed; NotFound, NotPermitted,
    AlreadyDecided, Expired, DigestMismatch, Stopped, Conflict.
    """
    must_have_a_reason(reason)
    check(arguments, "$.arguments")
    shown = Proposal.objects.filter(pk=version_id, run_id=run_id).first()
    if shown is None:
        raise NotFound("There is no such proposal.")
    before = bytes(shown.arguments)
    facts = {
        "id": str(version_id),
        "proposal_id": str(shown.proposal_id),
        "version": version,
        "digest": digest,
        "decision": "edit",
        "person": reviewer.person_id,
        "person_name": reviewer.name,
        "reason": reason.strip(),
        "before": before.decode(),
        "arguments": _other(shown, before, arguments),
        "seen": seen or {},
    }
    heard(lambda: edits.edit_proposal(run_id, reviewer.actor, packed(facts)))
    hint(run_id)


def _other(shown: Proposal, before: bytes, arguments: Facts) -> str:
    """The edited arguments, validated and frozen. Raises BadInput where they are the same."""
    action = actions.get(shown.action, shown.action_version)
    try:
        revealed = concealing.unchanged(action.Arguments, dict(arguments), json.loads(before))
        approval.must_be_typable(action, actions.validated(action, revealed))
        after = actions.freeze(action, revealed)
    finally:
        concealing.forget()
    if after == before:
        raise BadInput("Nothing was changed.", path="$.arguments")
    return after.decode()
