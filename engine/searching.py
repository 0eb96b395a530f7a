"""Which events somebody asks for: one filter for the page, its counts and its export."""

import uuid
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from .models import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuery:
    """Empty fields do not restrict. `since` is inclusive, `until` is not."""

    run_id: uuid.UUID | None = None
    kind: str = ""
    actor: str = ""
    since: datetime | None = None
    until: datetime | None = None

    def as_facts(self) -> dict[str, Any]:
        """What was asked for, as JSON; only what restricts."""
        return {key: str(value) for key, value in asdict(self).items() if value}


def matching(query: EventQuery) -> "QuerySet[Event]":
    """The events that match, in no order yet."""
    wanted = {
        "run_id": query.run_id,
        "kind": query.kind,
        "actor": query.actor,
        "at__gte": query.since,
        "at__lt": query.until,
    }
    return Event.objects.filter(**{field: value for field, value in wanted.items() if value})
