"""What the address of the list of open proposals may say."""

from dataclasses import dataclass

from django.core.exceptions import BadRequest
from django.http import QueryDict

from engine import states
from oversight.reading import worklist


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which risk is asked for ("" for any), and which page of the list."""

    risk: str
    cursor: worklist.Cursor
    seen: str


def read(query: QueryDict) -> Wish:
    """Raises BadRequest for a risk that there is not."""
    risk = query.get("risk", "")
    if risk and risk not in states.RISKS:
        raise BadRequest("There is no such risk.")
    return Wish(risk=risk, cursor=worklist.Cursor.read(query), seen=query.get("seen", ""))
