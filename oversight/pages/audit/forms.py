"""What the address of the event search, and what its two buttons, may say."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from engine.searching import EventQuery
from oversight.reading.filters import FilterForm, Identifier, Moment


class EventFilter(FilterForm):
    """Which events somebody looks for."""

    run = Identifier(label=_("Run"))
    kind = forms.ChoiceField(
        label=_("Kind"),
        required=False,
        error_messages={"invalid_choice": _("No event is of the kind “%(value)s”.")},
    )
    actor = forms.CharField(
        label=_("Actor"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"list": "known-actors", "placeholder": "agent:…"}),
    )
    since = Moment(label=_("From (UTC)"))
    until = Moment(label=_("Before (UTC)"))

    def __init__(self, query: QueryDict, kinds: Sequence[tuple[str, Any]]) -> None:
        super().__init__(query)
        self.fields["kind"].choices = [("", _("every kind")), *kinds]  # type: ignore[attr-defined]

    def as_query(self) -> EventQuery:
        """The same for the engine, once it is valid."""
        said = self.cleaned_data
        return EventQuery(
            run_id=said["run"],
            kind=said["kind"],
            actor=said["actor"],
            since=said["since"],
            until=said["until"],
        )


class ExportOrder(EventFilter):
    """A posted filter: the events that it matches are wanted as an export."""

    beside = ("what", "csrfmiddlewaretoken")


class VerifyOrder(forms.Form):
    """What is to be verified: one run's log, or all of it."""

    run = Identifier()


def must_ask_for(what: str, posted: QueryDict) -> None:
    """Raises BadRequest for a post that does not say so: an empty one orders nothing."""
    if posted.getlist("what") != [what]:
        raise BadRequest("The post does not say what is wanted.")
