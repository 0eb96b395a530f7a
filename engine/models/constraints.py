"""CHECKs made from the tables in `states.py`, so that the database holds them too."""

from collections.abc import Iterable

from django.db.models import CheckConstraint, Q


def one_of(name: str, field: str, values: Iterable[str]) -> CheckConstraint:
    return CheckConstraint(name=name, condition=Q(**{f"{field}__in": sorted(values)}))


def one_of_or_null(name: str, field: str, values: Iterable[str]) -> CheckConstraint:
    allowed = Q(**{f"{field}__in": sorted(values)}) | Q(**{f"{field}__isnull": True})
    return CheckConstraint(name=name, condition=allowed)
