"""Who is looking at a proposal: a notice to the others, that runs out by itself.

A claim gives no authority and takes none: whoever may decide a proposal may decide it, whoever has
claimed it. Where several have to be heard they could not be, otherwise.
"""

import uuid
from datetime import datetime

from engine import conf
from engine.canonical import packed
from engine.errors import Claimed
from engine.store import claims

from .who import Reviewer


def claim(
    run_id: uuid.UUID,
    version_id: uuid.UUID,
    *,
    reviewer: Reviewer,
    take_over_from: int | None = None,
) -> None:
    """Claim this version for a while; again, and it is renewed.

    `take_over_from` is the person whose claim is taken over: only if it is still theirs. Raises
    Claimed while somebody else holds it, with `person` and `until`; NotFound, NotPermitted,
    AlreadyDecided, Expired, Conflict.
    """
    facts = {
        "id": str(version_id),
        "person": reviewer.person_id,
        "person_name": reviewer.name,
        "seconds": conf.claim_seconds(),
        "from": take_over_from,
    }
    try:
        claims.claim_proposal(run_id, reviewer.actor, packed(facts))
    except Claimed as problem:
        name, _, until = str(problem.facts["detail"]).rpartition("|")
        raise Claimed(
            f"{name} has claimed this.", person=name, until=datetime.fromisoformat(until)
        ) from problem


def release(run_id: uuid.UUID, version_id: uuid.UUID, *, reviewer: Reviewer) -> None:
    """Let go of one's own claim. Raises Conflict where there is none."""
    facts = {
        "id": str(version_id),
        "person": reviewer.person_id,
        "person_name": reviewer.name,
    }
    claims.release_claim(run_id, reviewer.actor, packed(facts))
