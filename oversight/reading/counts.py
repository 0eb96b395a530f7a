"""How many rows a filter matches: counted, or estimated and then said to be."""

import json
from dataclasses import dataclass

from django.db.models import Model, QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext as _

COUNTED = 10_000
"""So many rows are counted one by one; beyond, the database's own estimate stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A number of rows; `exact` where they were counted."""

    number: int
    exact: bool = True

    def __str__(self) -> str:
        number = number_format(self.number, use_l10n=True, force_grouping=True)
        return number if self.exact else _("about %(number)s") % {"number": number}


def count(query: QuerySet[Model]) -> Count:
    """How many rows `query` has, as of the statement that counts them."""
    counted = query.order_by()[: COUNTED + 1].count()
    if counted <= COUNTED:
        return Count(number=counted)
    return Count(number=max(_estimated(query), counted), exact=False)


def _estimated(query: QuerySet[Model]) -> int:
    """What the planner expects, from the statistics it keeps."""
    plan = json.loads(query.order_by().explain(format="json"))
    return int(plan[0]["Plan"]["Plan Rows"])
