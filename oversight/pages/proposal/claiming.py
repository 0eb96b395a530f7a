"""Claiming a proposal: what its page says of the claim, and what is posted to it."""

import uuid
from dataclasses import dataclass

from django import forms

from engine import api
from oversight.pages.proposal.reads import Version
from oversight.reading import claims
from oversight.reading.claims import Held
from oversight.reading.typed import SaidForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Claiming:
    """The claim on a version as one reader sees it; `may` is whether the reader could claim it."""

    held: Held | None
    reader: int
    may: bool

    @property
    def mine(self) -> bool:
        return self.held is not None and self.held.person_id == self.reader

    @property
    def lost(self) -> bool:
        """Somebody else took it over from the reader."""
        return self.held is not None and self.held.from_id == self.reader


class ClaimForm(SaidForm):
    """Claim, renew, let go, or take over from the person who was shown to have it."""

    do = forms.ChoiceField(choices=[(word, word) for word in ("claim", "release", "take_over")])
    from_ = forms.IntegerField(required=False, min_value=1)
    back = forms.ChoiceField(required=False, choices=[("inbox", "inbox")])

    def add_prefix(self, field_name: str) -> str:
        return super().add_prefix(field_name.removesuffix("_"))


def of(item: Version, reader: int, *, may: bool) -> Claiming | None:
    """None where nothing is to be claimed any more."""
    if not item.decidable:
        return None
    version: uuid.UUID = item.id
    return Claiming(held=claims.on([version]).get(version), reader=reader, may=may)


def say(item: Version, form: ClaimForm, reviewer: api.Reviewer) -> None:
    """What was asked for, at the engine's door. Raises what `api.claim` and `api.release` raise."""
    said = form.cleaned_data
    if said["do"] == "release":
        api.release(item.run_id, item.id, reviewer=reviewer)
        return
    whose = said["from_"] if said["do"] == "take_over" else None
    api.claim(item.run_id, item.id, reviewer=reviewer, take_over_from=whose)
