"""A second factor for one approval: what the rule asks for, and whether it was shown."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Now
from django.http import HttpRequest

from engine import states
from engine.models import StepUp
from oversight.access import person
from oversight.pages.proposal.reads import Version
from oversight.second_factor import factors, sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a rule asks of who approves. `can` are the kinds of factor of this person that would do
    in this session; `until` is how long one that they have shown counts, and `kind` which it was.
    """

    demand: str
    can: tuple[str, ...]
    until: datetime | None = None
    kind: str = ""


def of(request: HttpRequest, item: Version) -> Asked | None:
    """None where the rule asks for nothing."""
    demand = str(item.terms["rule"]["step_up"])
    if demand == "none":
        return None
    reader = person(request)
    counts = set(states.STEP_UPS[demand]) & set(sessions.accepted(request, reader))
    can = tuple(sorted(counts & factors.kinds(reader.pk)))
    held = (
        StepUp.objects.filter(proposal=item.id, person=reader, digest=item.digest)
        .filter(session=sessions.name(request), used_at=None, expires_at__gt=Now())
        .filter(factor__in=can)
        .order_by("-made_at")
        .first()
    )
    if held is None:
        return Asked(demand=demand, can=can)
    return Asked(demand=demand, can=can, until=held.expires_at, kind=held.factor)


def purpose(item: Version) -> str:
    """What a passkey is asked for: exactly this."""
    return f"approve {item.id} {item.digest}"
