"""Proposals that ask for exactly what the same agent asked for a short while ago.

An agent that lost the answer to its request, or that runs twice, files the same thing again. Both
are shown; the later one is marked, so that nobody approves it for want of having seen the first.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from engine.models import Proposal

WITHIN = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """The earlier one of two proposals with the same content."""

    proposal_id: uuid.UUID
    version: int
    status: str
    opened_at: datetime


def marked(query: QuerySet[Proposal]) -> QuerySet[Any]:
    """Each proposal with `asked_before`: whether it has an earlier twin."""
    earlier = _earlier(OuterRef("agent"), OuterRef("content"))
    opened = earlier.filter(
        opened_at__lt=OuterRef("opened_at"), opened_at__gt=OuterRef("opened_at") - WITHIN
    )
    return query.annotate(asked_before=Exists(opened.exclude(proposal_id=OuterRef("proposal_id"))))


def before(opened_at: datetime, *, agent: str, content: str, proposal_id: uuid.UUID) -> Twin | None:
    """The newest earlier twin of the proposal of that id, which was opened then."""
    others = _earlier(agent, content).exclude(proposal_id=proposal_id)
    found = others.filter(opened_at__lt=opened_at, opened_at__gt=opened_at - WITHIN)
    record = found.order_by("-opened_at").first()
    if record is None:
        return None
    return Twin(
        proposal_id=record.proposal_id,
        version=record.version,
        status=record.status,
        opened_at=record.opened_at,
    )


def _earlier(agent: Any, content: Any) -> QuerySet[Proposal]:
    return Proposal.objects.filter(agent=agent, content=content)
