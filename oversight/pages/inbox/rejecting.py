"""Rejecting several, in two steps: what was chosen is shown, then each is rejected by itself.

There is no approving of several. Every item goes through the one door with the digest that was
shown; the token between the two steps holds those digests and is good for one person.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core import signing
from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine import api
from engine.errors import AlreadyDecided, DigestMismatch, Expired, PlacetError
from engine.models import Proposal
from oversight.pages.inbox.reads import shown
from oversight.reading import decidable
from oversight.reading.reasons import REASONS
from oversight.reading.typed import SaidForm, Words
from oversight.showing import literal, refusals

SALT = "placet.inbox.rejecting"
MOST = 50
"""So many at once: as many as a page lists."""

MOST_SECONDS = 3600
"""So long is what was shown good for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One chosen proposal as it is shown before it is rejected. Its words may be anybody's."""

    id: uuid.UUID
    proposal_id: uuid.UUID
    version: int
    run_id: uuid.UUID
    digest: str
    agent: str
    risk: str
    headline: str
    action: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of one of them: `done`, or why not."""

    item: Item
    done: bool
    words: str


class ReasonForm(SaidForm):
    """One reason for all of them."""

    chosen = forms.CharField(widget=forms.HiddenInput, max_length=20_000)
    reason_code = forms.ChoiceField(
        label=gettext_lazy("Reason"),
        required=False,
        choices=list(REASONS.items()),
        widget=forms.RadioSelect,
    )
    reason = Words(label=gettext_lazy("In your own words"), required=False)

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if not (found.get("reason") or found.get("reason_code")):
            self.add_error("reason_code", _("Choose a reason, or write one."))
        return found


def chosen(posted: QueryDict, person_id: int) -> tuple[Item, ...]:
    """Those of the chosen versions that this person may decide now. Raises BadRequest for what
    names no versions, or too many."""
    try:
        versions = {uuid.UUID(each) for each in posted.getlist("version")}
    except ValueError as problem:
        raise BadRequest("This names no proposal.") from problem
    if len(versions) > MOST:
        raise BadRequest(f"At most {MOST} are rejected at once.")
    found = decidable.proposals(person_id).filter(pk__in=versions)
    return tuple(_item(record) for record in found.order_by("valid_until", "id"))


def token(items: Sequence[Item], person_id: int) -> str:
    """Sign which versions were shown, with their digests, and to whom."""
    digests = {str(item.id): item.digest for item in items}
    return signing.dumps({"person": person_id, "digests": digests}, salt=SALT)


def opened(text: str, person_id: int) -> tuple[Item, ...]:
    """The items of a token, each with the digest that was shown, whatever they are now. Raises
    DigestMismatch unless it is this person's, one of ours and not too old."""
    try:
        said = signing.loads(text, salt=SALT, max_age=MOST_SECONDS)
    except signing.BadSignature as problem:
        raise DigestMismatch("The proof of what was displayed is not one of ours.") from problem
    if said["person"] != person_id:
        raise DigestMismatch("The proof of what was displayed is somebody else's.")
    digests = said["digests"]
    found = Proposal.objects.filter(pk__in=digests).order_by("valid_until", "id")
    return tuple(_item(record, digests[str(record.pk)]) for record in found)


def reject(item: Item, form: ReasonForm, reviewer: api.Reviewer) -> Answer:
    """One rejection, through the same door as any other."""
    said = form.cleaned_data
    try:
        api.decide(
            item.run_id,
            item.id,
            reviewer=reviewer,
            proposal_id=item.proposal_id,
            version=item.version,
            digest=item.digest,
            decision="reject",
            reason=said["reason"],
            reason_code=said["reason_code"] or None,
            seen={"digest": item.digest, "in_bulk": True, "at": timezone.now().isoformat()},
        )
    except PlacetError as problem:
        return Answer(item=item, done=False, words=_why_not(problem))
    return Answer(item=item, done=True, words=_("Rejected"))


def _why_not(problem: PlacetError) -> str:
    if isinstance(problem, AlreadyDecided):
        words = {
            "approved": _("Already approved by %(person)s"),
            "rejected": _("Already rejected by %(person)s"),
            "returned": _("Already returned by %(person)s"),
        }
        return words[str(problem.facts["status"])] % {"person": problem.facts["person"]}
    if isinstance(problem, Expired):
        return _("Its time has passed")
    if isinstance(problem, DigestMismatch):
        return _("Changed since: open it")
    if problem.code == "not_permitted":
        return refusals.in_words(problem.message)
    return _("No longer open as it was: open it")


def _item(record: Proposal, digest: str = "") -> Item:
    return Item(
        id=record.pk,
        proposal_id=record.proposal_id,
        version=record.version,
        run_id=record.run_id,
        digest=digest or record.digest,
        agent=record.agent.removeprefix("agent:"),
        **shown(record, literal.read(bytes(record.terms))),
    )
