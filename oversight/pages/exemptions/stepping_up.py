"""A second factor for the approval of one exemption: what its rule asks for, and whether it was
shown."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Now
from django.http import HttpRequest

from engine import states
from engine.models import StepUp
from oversight.access import person
from oversight.pages.exemptions.reads import Standing
from oversight.second_factor import factors, sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the rule asks of who approves. `can` are the kinds of factor of this person that would
    do in this session; `until` is how long one that they have shown counts."""

    demand: str
    can: tuple[str, ...]
    until: datetime | None = None


def of(request: HttpRequest, item: Standing) -> Asked | None:
    """None where the rule asks for nothing."""
    demand = str(item.rule["step_up"])
    if demand == "none":
        return None
    reader = person(request)
    counts = set(states.STEP_UPS[demand]) & set(sessions.accepted(request, reader))
    can = tuple(sorted(counts & factors.kinds(reader.pk)))
    held = StepUp.objects.filter(
        exemption=item.id,
        person=reader,
        digest=item.digest,
        session=sessions.name(request),
        used_at=None,
        expires_at__gt=Now(),
        factor__in=can,
    )
    newest = held.order_by("-made_at").first()
    return Asked(demand=demand, can=can, until=newest.expires_at if newest else None)


def purpose(item: Standing) -> str:
    """What a passkey is asked for: exactly this."""
    return f"exempt {item.id} {item.digest}"
