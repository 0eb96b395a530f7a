"""A place in the history of a run: a checkpoint, or the state after one event."""

import re
import uuid
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_PLACE = re.compile(rf"({_UUID})(?:@([0-9]{{1,18}}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A checkpoint. It is written as its identifier."""

    checkpoint_id: uuid.UUID

    def __str__(self) -> str:
        return str(self.checkpoint_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """The state after one event of a run. It is written as `run@number`."""

    run_id: uuid.UUID
    seq: int

    def __str__(self) -> str:
        return f"{self.run_id}@{self.seq}"


Place = Saved | After


def read(text: str) -> Place:
    """Raises ValidationError for what names no place."""
    found = _PLACE.fullmatch(text.strip())
    if found is None:
        raise ValidationError(
            _("Write the identifier of a checkpoint, or a run and the number of an event: run@12.")
        )
    name, seq = found.groups()
    if seq is None:
        return Saved(checkpoint_id=uuid.UUID(name))
    return After(run_id=uuid.UUID(name), seq=int(seq))
