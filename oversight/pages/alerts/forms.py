"""What the address of the list may say, and what operators say of an alert."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Alerts in which state are asked for, and which page of them."""

    show: str
    cursor: worklist.Cursor
    past: keyset.Cursor
    seen: str

    @property
    def resolved(self) -> bool:
        return self.show == "resolved"


def read(query: QueryDict) -> Wish:
    """Raises BadRequest for a state that alerts do not have."""
    show = query.get("show", "open")
    if show not in states.ALERT:
        raise BadRequest("Alerts have no such state.")
    return Wish(
        show=show,
        cursor=worklist.Cursor.read(query),
        past=keyset.Cursor.read(query),
        seen=query.get("seen", ""),
    )


class AcknowledgeForm(SaidForm):
    """Taking an alert on. `due_at` is typed in the zone that the page names."""

    cause = Words(label=_("Cause"), help_text=_("Why it came to this, as far as you know."))
    next_step = Words(label=_("Next step"), help_text=_("What is done about it, and by whom."))
    due_at = Moment(
        label=_("Until"), help_text=_("If it is not dealt with by then, it is open again.")
    )

    def clean_due_at(self) -> Any:
        due_at = self.cleaned_data["due_at"]
        if due_at <= timezone.now():
            raise forms.ValidationError(_("Name a time in the future."))
        return due_at


class ResolveForm(SaidForm):
    resolution = Words(
        label=_("How it was dealt with"), help_text=_("What was done, and how that was checked.")
    )


class AcceptForm(SaidForm):
    """Taking in one's own name what verification did not show to be as approved."""

    seen_evidence = Words(
        label=_("Evidence"), help_text=_("What you have seen at the target, and where."), rows=2
    )
    reason = Words(label=_("Reason"), help_text=_("Why it may stay as it is."), rows=2)


class ResumeForm(SaidForm):
    reason = Words(label=_("Reason"), help_text=_("Why the run may go on now."), rows=2)
