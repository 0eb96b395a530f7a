"""The two sides of a comparison, and the state at one event: found, or told why not."""

import uuid
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from engine import api
from engine.errors import Damaged, Incompatible, NotFound
from oversight.pages.checkpoints import reads, whole
from oversight.pages.checkpoints.places import After, Place, Saved
from oversight.pages.checkpoints.whole import Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Where a run stood. `problem` says why nothing else is known of it, or why to doubt it."""

    place: Place
    run_id: uuid.UUID
    seq: int
    whole: Whole | None
    problem: str = ""

    @property
    def saved(self) -> bool:
        return isinstance(self.place, Saved)

    @property
    def url(self) -> str:
        if isinstance(self.place, Saved):
            return reverse("checkpoints:checkpoint", args=[self.place.checkpoint_id])
        return reverse("checkpoints:at", query={"run": str(self.run_id), "seq": self.seq})


def side(place: Place) -> Side | None:
    """What there is at a place; None where there is no such place."""
    return _saved(place) if isinstance(place, Saved) else after(place)


def _saved(place: Saved) -> Side | None:
    stored = reads.checkpoint(place.checkpoint_id)
    if stored is None:
        return None
    problem = "" if api.matches_checksum(stored.record) else _("It does not match its checksum.")
    try:
        found = whole.of_checkpoint(stored)
    except (ValueError, LookupError, RecursionError):
        found, problem = None, _("It is not the JSON that was saved.")
    seq = stored.last_event_sequence
    return Side(place=place, run_id=stored.run_id, seq=seq, whole=found, problem=problem)


def after(place: After) -> Side | None:
    """The state after one event: the nearest checkpoint, and the events after it, verified."""
    found, doubt = None, ""
    try:
        found = whole.of_position(api.position_at(place.run_id, place.seq))
    except NotFound:
        return None
    except (Damaged, Incompatible) as problem:
        doubt = problem.message
    return Side(place=place, run_id=place.run_id, seq=place.seq, whole=found, problem=doubt)
