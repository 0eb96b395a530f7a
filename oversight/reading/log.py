"""A run's event log, as pages read it: oldest first, numbers as they were stored."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from engine.models import Event
from oversight.showing import literal

PAGE = 200
"""How many events a page shows."""

OF_EFFECTS = (
    "effect_requested",
    "request_taken_up",
    "proposal_opened",
    "proposal_approved",
    "proposal_exempted",
    "proposal_rejected",
    "proposal_returned",
    "proposal_expired",
    "proposal_withdrawn",
    "proposal_retracted",
    "proposal_superseded",
    "approval_lapsed",
    "proposal_lapsed",
    "proposal_edited",
    "versions_carried_over",
    "rollback_authorised",
    "effect_prepared",
    "effect_intended",
    "effect_recorded",
    "effect_reconciled",
    "effect_resolved",
    "effect_verified",
    "effect_accepted",
    "effect_committed",
    "effect_compensated",
)
"""The kinds that tell how far an effect has come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One event. `stored` is its payload exactly as hashed; None once it was erased by design."""

    run_id: uuid.UUID
    seq: int
    kind: str
    actor: str
    at: datetime
    stored: bytes | None
    hash: str
    facts: Mapping[str, Any]

    @property
    def url(self) -> str:
        """The event in full, its hashes computed anew."""
        return reverse("audit:event", args=[self.run_id, self.seq])


def of_effects(run_id: uuid.UUID) -> tuple[Logged, ...]:
    """Everything that a run's log says of its effects."""
    query = Event.objects.filter(run_id=run_id, kind__in=OF_EFFECTS).order_by("seq")
    return tuple(_logged(event) for event in query)


def page(run_id: uuid.UUID, *, up_to: int) -> tuple[Logged, ...]:
    """The page of events that ends at number `up_to`."""
    query = Event.objects.filter(run_id=run_id, seq__gt=up_to - PAGE, seq__lte=up_to)
    return tuple(_logged(event) for event in query.order_by("seq"))


def of_kinds(run_id: uuid.UUID, *kinds: str) -> tuple[Logged, ...]:
    """Every event of these kinds in a run's log."""
    query = Event.objects.filter(run_id=run_id, kind__in=kinds).order_by("seq")
    return tuple(_logged(event) for event in query)


def newest_of_kind(run_id: uuid.UUID, *kinds: str) -> Logged | None:
    """The newest event of these kinds."""
    event = Event.objects.filter(run_id=run_id, kind__in=kinds).order_by("-seq").first()
    return _logged(event) if event else None


def _logged(event: Event) -> Logged:
    stored = bytes(event.payload) if event.payload is not None else None
    return Logged(
        run_id=event.run_id,
        seq=event.seq,
        kind=event.kind,
        actor=event.actor,
        at=event.at,
        stored=stored,
        hash=bytes(event.hash).hex(),
        facts=literal.read(stored) if stored is not None else {},
    )
