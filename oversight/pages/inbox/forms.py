"""What the address of the inbox may say: which place, which page of it, and what narrows it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from django import forms
from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from engine import states
from oversight.reading import keyset, worklist
from oversight.reading.filters import FilterForm
from oversight.showing.words import RISK

TO_DECIDE, CLAIMED, DECIDED, MINE = PLACES = ("to-decide", "claimed", "decided", "mine")

DUE = {
    "1h": (timedelta(hours=1), _("within an hour")),
    "4h": (timedelta(hours=4), _("within four hours")),
    "1d": (timedelta(days=1), _("within a day")),
}
CALLED = {"reminded": _("reminded of"), "escalated": _("escalated")}
CLAIMS = {"me": _("by me"), "others": _("by others"), "nobody": _("by nobody")}


def _text(label: object, listed: str = "") -> forms.CharField:
    attrs = {"list": f"known-{listed}"} if listed else {}
    widget = forms.TextInput(attrs={"autocomplete": "off", **attrs})
    return forms.CharField(label=label, required=False, max_length=200, widget=widget)  # type: ignore[arg-type]


class Narrowing(FilterForm):
    """What narrows a place of the inbox."""

    beside: ClassVar[tuple[str, ...]] = (*FilterForm.beside, "show", "after", "before")

    risk = forms.ChoiceField(
        label=_("Risk"),
        required=False,
        choices=[("", _("every risk")), *((risk, RISK[risk].word) for risk in states.RISKS)],
    )
    action = _text(_("Action"), "actions")
    target = _text(_("Target contains"))
    agent = _text(_("Agent"), "agents")
    workflow = _text(_("Workflow"), "workflows")
    group = _text(_("Decided by group"))


class OpenNarrowing(Narrowing):
    """The same for what is open."""

    due = forms.ChoiceField(
        label=_("Due"),
        required=False,
        choices=[("", _("at any time")), *((key, words) for key, (_length, words) in DUE.items())],
    )
    called = forms.ChoiceField(
        label=_("Reminded or escalated"),
        required=False,
        choices=[("", _("or not")), *CALLED.items()],
    )
    claimed = forms.ChoiceField(
        label=_("Claimed"), required=False, choices=[("", _("or not")), *CLAIMS.items()]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which place of the inbox is asked for, which page of it, and what narrows it."""

    show: str
    cursor: worklist.Cursor
    past: keyset.Cursor
    narrowing: Narrowing
    seen: str

    @property
    def decided(self) -> bool:
        return self.show == DECIDED

    @property
    def asked(self) -> dict[str, str]:
        """What the address says of place and filters, without the page."""
        place = {} if self.show == TO_DECIDE else {"show": self.show}
        return {**place, **self.narrowing.asked}


def read(query: QueryDict) -> Wish:
    """Raises BadRequest for a place that the inbox does not have."""
    show = query.get("show", TO_DECIDE)
    if show not in PLACES:
        raise BadRequest("The inbox has no such place.")
    form = Narrowing if show == DECIDED else OpenNarrowing
    return Wish(
        show=show,
        cursor=worklist.Cursor.read(query),
        past=keyset.Cursor.read(query),
        narrowing=form(query),
        seen=query.get("seen", ""),
    )
