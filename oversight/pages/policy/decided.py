"""What a replay reads: what was decided of late, and what was said of it. One query each."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Func, JSONField, TextField
from django.db.models.functions import Now

from engine import policies
from engine.models import Decision, Proposal, Qualification
from oversight.pages.policy.replay import Case, Heard

DAYS = 90
MOST = 10_000
"""How far back is looked, and at how many at the most: the newest."""

DECIDED = ("approved", "rejected", "expired")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The cases, the newest first; `more`: there are older ones that were not looked at."""

    cases: tuple[Case, ...]
    more: bool


def found(trainings: Iterable[str]) -> Found:
    """What was decided in the last days. Of these trainings it is said who had them when. What
    rehearsals asked is left out: nobody works by it; so is what nobody decided, since a standing
    exemption let it through."""
    records = list(_decided()[: MOST + 1])
    more, records = len(records) > MOST, records[:MOST]
    heard = _heard(records, _qualified(trainings)) if records else {}
    return Found(cases=tuple(_case(each, heard) for each in records), more=more)


def _decided() -> Any:
    rule = Func(
        F("terms"),
        template="(convert_from(%(expressions)s, 'UTF8')::json->'rule')::jsonb",
        output_field=JSONField(),
    )
    headline = Func(
        F("terms"),
        template="convert_from(%(expressions)s, 'UTF8')::json->>'headline'",
        output_field=TextField(),
    )
    return (
        Proposal.objects.filter(status__in=DECIDED, closed_at__gte=Now() - timedelta(days=DAYS))
        .exclude(run__initiator="system:rehearsal")
        .exclude(exemption__isnull=False, drawn=False)
        .annotate(rule=rule, headline=headline)
        .order_by("-closed_at", "id")
        .values(
            "pk",
            "proposal_id",
            "version",
            "headline",
            "agent",
            "action",
            "risk",
            "status",
            "opened_at",
            "valid_until",
            "closed_at",
            "rule",
        )
    )


Holders = Mapping[tuple[int, str], list[tuple[str, datetime, datetime]]]
"""By person and training: for which actions, from when, until when."""


def _qualified(trainings: Iterable[str]) -> Holders:
    held: dict[tuple[int, str], list[tuple[str, datetime, datetime]]] = defaultdict(list)
    if wanted := list(trainings):
        for each in Qualification.objects.filter(training__in=wanted):
            until = min(each.valid_until, each.withdrawn_at or each.valid_until)
            span = (each.actions, each.valid_from, until)
            held[each.person_id, each.training].append(span)
    return held


def _heard(records: list[Any], held: Holders) -> Mapping[uuid.UUID, list[Heard]]:
    said = Decision.objects.filter(
        proposal__status__in=DECIDED,
        proposal__closed_at__range=(records[-1]["closed_at"], records[0]["closed_at"]),
    )
    fields = ("proposal_id", "proposal__action", "person_id", "decision", "decided_at")
    heard: dict[uuid.UUID, list[Heard]] = defaultdict(list)
    for row in said.order_by("decided_at").values_list(*fields, "step_up__factor"):
        proposal, action, person, decision, at, factor = row
        trainings = frozenset(_trainings(held, person, action, at))
        word = Heard(person=person, decision=decision, at=at, factor=factor, trainings=trainings)
        heard[proposal].append(word)
    return heard


def _trainings(held: Holders, person: int, action: str, at: datetime) -> Iterable[str]:
    for (holder, training), spans in held.items():
        if holder == person and any(
            since <= at < until and policies.stands_for(actions, action)
            for actions, since, until in spans
        ):
            yield training


def _case(record: dict[str, Any], heard: Mapping[uuid.UUID, list[Heard]]) -> Case:
    said = heard.get(record.pop("pk"), [])
    return Case(**record, heard=tuple(said))
