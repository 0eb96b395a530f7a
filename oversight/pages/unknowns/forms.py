"""What the address of the list may say, and a ruling as it is posted."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from engine import states
from oversight.reading import keyset, worklist
from oversight.reading.typed import Moment, SaidForm, Words

PLACES = ("unknown", "settled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which effects are asked for, and which page of them."""

    show: str
    cursor: worklist.Cursor
    past: keyset.Cursor
    seen: str

    @property
    def settled(self) -> bool:
        return self.show == "settled"


def read(query: QueryDict) -> Wish:
    """Raises BadRequest for a choice that the list does not have."""
    show = query.get("show", PLACES[0])
    if show not in PLACES:
        raise BadRequest("The list has no such choice.")
    return Wish(
        show=show,
        cursor=worklist.Cursor.read(query),
        past=keyset.Cursor.read(query),
        seen=query.get("seen", ""),
    )


class RulingForm(SaidForm):
    """What became of the effect, as a person says it. Nothing is chosen beforehand.

    `attempt` is the one that was shown: what somebody found out about one sending says nothing of
    the next. `until` is typed in the zone that the page names.
    """

    attempt = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    resolution = forms.ChoiceField(choices=[(word, word) for word in states.RESOLUTIONS])
    seen_evidence = Words(
        label=_("Evidence"),
        help_text=_("What you saw, where, and when. It is kept with the ruling."),
        required=False,
        rows=4,
    )
    resource_id = forms.CharField(
        label=_("Resource at the target"),
        help_text=_("Its id there, so that it can be read again."),
        required=False,
        max_length=400,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    until = Moment(label=_("Keep waiting until"), required=False)
    reason = Words(label=_("Reason"))

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if not {"attempt", "resolution"} <= set(found):
            self.add_error(None, _("Choose what became of it."))
        ruling = found.get("resolution")
        if ruling in ("happened", "did_not_happen", "partly") and not found.get("seen_evidence"):
            self.add_error("seen_evidence", _("Nothing is ruled without evidence."))
        if ruling in ("happened", "partly") and not found.get("resource_id"):
            self.add_error("resource_id", _("Name the resource, so that it can be read again."))
        if ruling == "keep_waiting":
            self._check_until(found)
        return found

    def _check_until(self, found: dict[str, Any]) -> None:
        until = found.get("until")
        if "until" in self.errors:
            return
        if until is None or until <= timezone.now():
            self.add_error("until", _("Say until when, in the future."))

    @property
    def ruling(self) -> dict[str, Any]:
        """What goes with the chosen word, and nothing that was typed for another."""
        said, word = self.cleaned_data, self.cleaned_data["resolution"]
        waits, names = word == "keep_waiting", word in ("happened", "partly")
        return {
            "resolution": word,
            "reason": said["reason"],
            "seen_evidence": "" if waits else said["seen_evidence"],
            "resource_id": said["resource_id"] if names else None,
            "until": said["until"] if waits else None,
        }


def posted(data: QueryDict) -> RulingForm:
    """The form as it came. Raises BadRequest where a field is there twice, or no attempt is."""
    if "attempt" not in data:
        raise BadRequest("The form does not say which attempt it is about.")
    return RulingForm(data)
