"""What somebody who stops everything, or lets it go on, has to say."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from engine import states
from oversight.reading.typed import SaidForm, Words

SCOPES = {
    states.EVERYTHING: _("Everything"),
    "workflow": _("A workflow"),
    "action": _("An action"),
    "agent": _("An agent"),
    "run": _("A run"),
}
"""What a stop may be for, and how that is asked for."""


class PlaceForm(SaidForm):
    """Whether rollbacks run is a decision of its own: nothing is chosen beforehand."""

    kind = forms.ChoiceField(
        label=_("What"), choices=list(SCOPES.items()), initial=states.EVERYTHING
    )
    name = forms.CharField(
        label=_("Which one"),
        help_text=_("Its name as the pages show it, or a run's id. Not needed for everything."),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    reason = Words(label=_("Reason"), help_text=_("Everybody reads it, and it is kept."))
    rollbacks = forms.ChoiceField(
        label=_("Rollbacks"),
        help_text=_("What the world shows to be wrong: is it taken back meanwhile?"),
        choices=[("run", _("They run")), ("wait", _("They wait, too"))],
        widget=forms.RadioSelect,
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        kind, name = found.get("kind"), found.get("name", "")
        if kind == states.EVERYTHING and name:
            self.add_error("name", _("Everything has no name. Choose what it names, or leave it."))
        elif kind and kind != states.EVERYTHING and not name:
            self.add_error("name", _("Say which one."))
        found["scope"] = kind if kind == states.EVERYTHING else f"{kind}:{name}"
        return found


class LiftForm(SaidForm):
    """`stop_id` is the stop that was shown: nobody lifts another one by a page that is old.
    `agrees`: with somebody else, who asked that everything go on."""

    stop_id = forms.UUIDField(widget=forms.HiddenInput)
    agrees = forms.BooleanField(widget=forms.HiddenInput, required=False)
    reason = Words(label=_("Reason"), help_text=_("Why it is safe to go on."))
