"""What was taken back in practice: one function, one query, frozen values out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Subquery

from engine.models import Alert, Effect, Proposal, Rehearsal
from oversight.showing import literal

LATEST = 20
"""How many of an action's rollbacks its page lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """What became of an action's effects: committed, rolled back, and those whose rollback failed
    and which stand as they are."""

    committed: int = 0
    rolled_back: int = 0
    failed: int = 0

    @property
    def nothing(self) -> bool:
        return not (self.committed or self.rolled_back or self.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """One effect and the rollback of it; `headline` may be anybody's words.

    `failed` tells that somebody was called because it did not work, and that it has not since.
    """

    run_id: uuid.UUID
    proposal_id: uuid.UUID | None
    version: int
    headline: str
    rollback: str
    failed: bool
    alert_id: uuid.UUID | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One rehearsal in full: every moment, and everything that had to hold."""

    action: str
    version: int
    result: str
    started_by: str
    recovery_seconds: float | None
    started_at: datetime
    ended_at: datetime
    expires_at: datetime
    run_id: uuid.UUID | None
    timeline: tuple[Mapping[str, Any], ...]
    assertions: tuple[Mapping[str, Any], ...]


def _stuck() -> Q:
    """The rollback of this effect raised an alert, and it is not taken back."""
    about = Alert.objects.filter(kind="rollback_failed")
    own = Exists(about.filter(effect_id=OuterRef("pk")))
    of_the_rollback = Exists(about.filter(effect__compensates=OuterRef("pk")))
    return ~Q(status="compensated") & (Q(own) | Q(of_the_rollback)) & Q(compensates=None)


def practice() -> Mapping[tuple[str, int], Practice]:
    """For each version of an action that was ever used."""
    rows = Effect.objects.values("action", "action_version").annotate(
        committed=Count("pk", filter=Q(committed_at__isnull=False)),
        rolled_back=Count("pk", filter=Q(status="compensated")),
        failed=Count("pk", filter=_stuck()),
    )
    return {
        (row["action"], row["action_version"]): Practice(
            committed=row["committed"], rolled_back=row["rolled_back"], failed=row["failed"]
        )
        for row in rows
    }


def taken_back(name: str, version: int) -> tuple[TakenBack, ...]:
    """The latest effects of this action that were rolled back, or should have been."""
    alerts = Alert.objects.filter(
        Q(effect_id=OuterRef("pk")) | Q(effect__compensates=OuterRef("pk")), kind="rollback_failed"
    )
    asked = Proposal.objects.filter(
        proposal_id=OuterRef("proposal_id"), version=OuterRef("proposal_version")
    )
    query = (
        Effect.objects.filter(action=name, action_version=version, compensates=None)
        .filter(Q(compensated_by__isnull=False) | _stuck())
        .select_related("compensated_by")
        .annotate(
            alert=Subquery(alerts.order_by("-raised_at").values("alert_id")[:1]),
            terms=Subquery(asked.values("terms")[:1]),
        )
        .order_by("-updated_at", "effect_id")
    )
    return tuple(_taken_back(record) for record in query[:LATEST])


def _taken_back(record: Any) -> TakenBack:
    rollback = getattr(record, "compensated_by", None)
    terms = literal.read(bytes(record.terms)) if record.terms is not None else {}
    return TakenBack(
        run_id=record.run_id,
        proposal_id=record.proposal_id,
        version=record.proposal_version or 1,
        headline=terms.get("headline", ""),
        rollback=_state(rollback),
        failed=record.status != "compensated" and record.alert is not None,
        alert_id=record.alert,
        at=rollback.updated_at if rollback else record.updated_at,
    )


def _state(rollback: Any) -> str:
    """The word for how far the rollback has come; nothing where it never began."""
    if rollback is None:
        return ""
    return "committed" if rollback.committed_at else str(rollback.status)


def rehearsal(rehearsal_id: uuid.UUID) -> Told | None:
    record = Rehearsal.objects.filter(pk=rehearsal_id).first()
    if record is None:
        return None
    return Told(
        action=record.action,
        version=record.action_version,
        result=record.result,
        started_by=record.started_by,
        recovery_seconds=record.recovery_seconds,
        started_at=record.started_at,
        ended_at=record.ended_at,
        expires_at=record.expires_at,
        run_id=record.run_id,
        timeline=tuple(record.timeline),
        assertions=tuple(record.assertions),
    )
