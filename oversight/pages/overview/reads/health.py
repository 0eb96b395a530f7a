"""Whether workers and sweeps do what they are there for, as far as the tables can tell."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, Min, Q
from django.db.models.functions import Coalesce, Greatest, Now

from engine import states
from engine.models import Event, Proposal, Run, Stop

LOOKED_BACK = timedelta(days=1)
"""How far back the newest claim is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runnable:
    """Runs that could go on and have no worker, and since when the longest has none.

    `held` are with a worker now, `due_later` wait for a time.
    """

    count: int
    since: datetime | None
    held: int
    due_later: int


def runnable() -> Runnable:
    """What the next sweep would find: the same rule, counted."""
    free = Q(lease_until=None) | Q(lease_until__lte=Now())
    stopped = Exists(Stop.objects.filter(lifted_at=None))
    could = (
        Q(status__in=states.WORKING, wake_at=None)
        | Q(wake_at__lte=Now())
        | Q(~stopped, status="paused", reason_code="stop")
    )
    # GREATEST passes over what is not there: from when on could a worker have taken it up?
    since = Greatest(Coalesce("wake_at", "last_at"), "lease_until")
    found = Run.objects.filter(
        Q(status__in=states.WORKING)
        | Q(wake_at__isnull=False)
        | Q(status="paused", reason_code="stop")
    ).aggregate(
        count=Count("pk", filter=could & free),
        since=Min(since, filter=could & free),
        held=Count("pk", filter=Q(lease_until__gt=Now())),
        due_later=Count("pk", filter=Q(wake_at__gt=Now()) & free),
    )
    return Runnable(**found)


def last_claim(now: datetime) -> datetime | None:
    """When a worker last took up a run, if it was within a day."""
    query = Event.objects.filter(kind="run_claimed", at__gte=now - LOOKED_BACK)
    return query.order_by("-at").values_list("at", flat=True).first()


def last_expiry() -> datetime | None:
    """When a sweep last expired a proposal: what a sweep most often writes down."""
    query = Proposal.objects.filter(status="expired").order_by("-closed_at")
    return query.values_list("closed_at", flat=True).first()
