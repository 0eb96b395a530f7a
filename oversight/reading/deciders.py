"""Who decides by the policy in force, whatever their group is called."""

from collections.abc import Iterable

from django.db.models import Q

from engine.models import Policy


def are_named(groups: Iterable[str]) -> bool:
    """Whether a rule of the policy in force asks one of these groups, or escalates to one."""
    named = Q(pk__in=[])
    for group in groups:
        named |= Q(rules__contains=[{"groups": [{"name": group}]}])
        named |= Q(rules__contains=[{"escalate": {"to": group}}])
    return Policy.objects.filter(named, status="in_force").exists()
