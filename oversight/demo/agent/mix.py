"""In which order the agent takes things up: early on, one of everything that can become of them."""

from . import errands
from .claims import CLAIMS, Claim, claim_about
from .errands import Errand

Wish = Claim | Errand

_OPENING: tuple[str | Errand, ...] = (
    "N-20417",
    errands.COLD_STORE,
    "N-20452",
    errands.SURPLUS,
    errands.RECALL,
    errands.LUNCH,
    "N-20431",
    errands.FREE_PARCELS,
    "N-20438",
    "N-20470",
    errands.HEAD_OFFICE,
    errands.COURIER,
    "N-20440",
    errands.HOLIDAYS,
    "N-20459",
    errands.SUPPLIERS,
    "N-20463",
    errands.THANKS,
)


def _mixed() -> tuple[Wish, ...]:
    opening = [one if isinstance(one, Errand) else claim_about(one) for one in _OPENING]
    return (*opening, *(claim for claim in CLAIMS if claim not in opening))


MIX: tuple[Wish, ...] = _mixed()


def wish_named(name: str) -> Wish | None:
    """The wish of that name, if it is still among them."""
    return next((wish for wish in MIX if wish.name == name), None)
