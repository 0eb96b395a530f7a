"""When a rollback plan was last rehearsed, and how that ended."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models.functions import Now

from engine.models import Rehearsal


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """One rehearsal in short. `expired` is judged by the database's clock; `recovery_seconds` is
    None where the effect was never recovered."""

    rehearsal_id: uuid.UUID
    action: str
    version: int
    result: str
    started_by: str
    recovery_seconds: float | None
    ended_at: datetime
    expires_at: datetime
    expired: bool

    @property
    def standing(self) -> str:
        """The word for it: a pass that is too old counts no more."""
        return "expired" if self.result == "passed" and self.expired else self.result


def latest() -> Mapping[tuple[str, int], Rehearsed]:
    """The last rehearsal of each version of an action that was ever rehearsed."""
    found = _told(Rehearsal.objects.order_by("action", "action_version", "-ended_at"))
    newest = found.distinct("action", "action_version")
    return {(row.action, row.action_version): _rehearsed(row) for row in newest}


def of_action(name: str, version: int, *, most: int) -> tuple[Rehearsed, ...]:
    """The rehearsals of one version of an action, the latest first."""
    found = _told(Rehearsal.objects.filter(action=name, action_version=version))
    return tuple(_rehearsed(row) for row in found.order_by("-ended_at")[:most])


def _told(query: Any) -> Any:
    return query.annotate(now=Now()).defer("timeline", "assertions")


def _rehearsed(record: Any) -> Rehearsed:
    return Rehearsed(
        rehearsal_id=record.rehearsal_id,
        action=record.action,
        version=record.action_version,
        result=record.result,
        started_by=record.started_by,
        recovery_seconds=record.recovery_seconds,
        ended_at=record.ended_at,
        expires_at=record.expires_at,
        expired=record.expires_at <= record.now,
    )
