"""What the filters of the inbox make of a query; each is one condition, and all have to hold."""

from collections.abc import Mapping
from typing import Any

from django.db.models import F, Func, Q, QuerySet, TextField
from django.db.models.functions import Now

from engine.models import Proposal
from oversight.pages.inbox.forms import DUE
from oversight.reading import claims


class TargetOf(Func):
    """The target, as the stored terms name it."""

    template = "(convert_from(%(expressions)s, 'UTF8')::json->>'target')"
    output_field = TextField()


def narrowed(
    query: QuerySet[Proposal], said: Mapping[str, Any], person_id: int
) -> QuerySet[Proposal]:
    """Those of `query` that match what was filled in."""
    conditions = [_CONDITIONS[name](value) for name, value in said.items() if _plain(name, value)]
    if said["target"]:
        query = query.annotate(target_text=TargetOf(F("terms")))
        conditions.append(Q(target_text__icontains=said["target"]))
    if claimed := said.get("claimed"):
        conditions.append(_claimed(claimed, person_id))
    return query.filter(*conditions)


def _plain(name: str, value: object) -> bool:
    return bool(value) and name in _CONDITIONS


_CONDITIONS: Mapping[str, Any] = {
    "risk": lambda risk: Q(risk=risk),
    "action": lambda action: Q(action__icontains=action),
    "agent": lambda agent: Q(agent__icontains=agent),
    "workflow": lambda workflow: Q(run__workflow=workflow),
    "group": lambda group: Q(groups__contains=[group]),
    "called": lambda what: Q(**{f"{what}_at__isnull": False}),
    "due": lambda due: Q(valid_until__lte=Now() + DUE[due][0]),
}


def _claimed(whose: str, person_id: int) -> Q:
    held = claims.living()
    if whose == "nobody":
        return ~Q(pk__in=held.values("proposal"))
    of_mine = held.filter(person=person_id) if whose == "me" else held.exclude(person=person_id)
    return Q(pk__in=of_mine.values("proposal"))
