"""By which standing exemption a proposal version was let through, who gave that, and whom one waits
for."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet
from django.db.models.functions import Now

from engine import api
from engine.models import Exemption, Proposal, Voice
from oversight.showing import exemption


@dataclass(frozen=True, slots=True, kw_only=True)
class Exempt:
    """The exemption, and the names of the people whose approval it was."""

    exemption_id: uuid.UUID
    people: tuple[str, ...]

    @property
    def names(self) -> str:
        return exemption.names(self.people)


def told(query: QuerySet[Proposal]) -> QuerySet[Proposal]:
    """The same, with what `of` reads."""
    voices = Voice.objects.filter(exemption=OuterRef("exemption_id")).order_by("given_at")
    return query.annotate(given_by=ArraySubquery(voices.values("person_name")))


def of(record: Any) -> Exempt | None:
    """None for a version that people were asked."""
    if record.exemption_id is None or record.drawn:
        return None
    return Exempt(exemption_id=record.exemption_id, people=tuple(record.given_by))


def waiting_for(reader: api.Reviewer) -> int:
    """How many exemptions are proposed that this person may approve, and has not."""
    proposed = Exemption.objects.filter(status="proposed", until__gt=Now())
    found = proposed.exclude(voices__person=reader.person_id).values_list("pk", flat=True)
    return sum(api.why_not_exempt(reader, pk) is None for pk in found)


def word(status: str, exempt: Exempt | None) -> str:
    """How it stands: what nobody was asked is not called approved."""
    return "exempted" if exempt and status == "approved" else status
