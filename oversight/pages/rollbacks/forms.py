"""What the address of the list of plans may say."""

from django.core.exceptions import BadRequest
from django.http import QueryDict

from engine import states


def read(query: QueryDict) -> str:
    """The kind of plan that is asked for, "" for any. Raises BadRequest for one there is not."""
    kind = query.get("kind", "")
    if kind and kind not in states.ROLLBACK_KINDS:
        raise BadRequest("There is no such kind of rollback plan.")
    return kind
