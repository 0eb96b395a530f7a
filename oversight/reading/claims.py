"""Who says that they are looking at a proposal: a notice to the others that runs out by itself."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import Group
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, QuerySet, TextField
from django.db.models.functions import Cast, Now

from engine.models import Claim, Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A claim that holds now; `from_id` and `from_name` are of whom it was taken over from."""

    person_id: int
    person: str
    claimed_at: datetime
    until: datetime
    from_id: int | None
    from_name: str


def living() -> QuerySet[Claim]:
    """Not released, not run out; the proposal is open, and the holder could decide it and has not.
    The engine asks the whole of its rule again, where somebody claims it."""
    heard = Decision.objects.filter(proposal=OuterRef("proposal"), person=OuterRef("person"))
    theirs = Group.objects.filter(user=OuterRef("person")).values(in_text=Cast("name", TextField()))
    return Claim.objects.filter(
        ~Exists(heard),
        person__is_active=True,
        proposal__groups__overlap=ArraySubquery(theirs),
        released_at=None,
        until__gt=Now(),
        proposal__status="open",
        proposal__valid_until__gt=Now(),
    )


def on(versions: Collection[uuid.UUID]) -> Mapping[uuid.UUID, Held]:
    """The claims on these proposal versions, by version."""
    return {each.proposal_id: _held(each) for each in living().filter(proposal__in=versions)}


def _held(claim: Claim) -> Held:
    return Held(
        person_id=claim.person_id,
        person=claim.person_name,
        claimed_at=claim.claimed_at,
        until=claim.until,
        from_id=claim.from_person_id,
        from_name=claim.from_name or "",
    )
