"""The zone in which somebody typed a time: browsers send a time of day, and not where it is."""

from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils import timezone


def typed_in(data: QueryDict) -> tzinfo:
    """The zone that the page's script named; without one, the zone that the page speaks of.

    Raises BadRequest for a zone that does not exist: a time in it would be a guess.
    """
    name = data.get("zone", "")
    if not name:
        return timezone.get_current_timezone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as problem:
        raise BadRequest("This is no zone.") from problem
