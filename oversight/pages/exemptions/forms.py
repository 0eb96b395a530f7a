"""An exemption as an administrator writes it; what is said of one; and a second factor for it."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine import exemptions, states
from oversight.reading.typed import Moment, SaidForm, Words

KINDS = [
    ("argument", gettext_lazy("One argument is exactly")),
    ("target", gettext_lazy("The target is exactly")),
    ("beginning", gettext_lazy("The target begins with")),
]

TYPED = {"autocomplete": "off", "spellcheck": "false"}


def _text(**attributes: str) -> forms.TextInput:
    return forms.TextInput(attrs={**TYPED, **attributes})


class ProposeForm(SaidForm):
    """What is proposed, and why. The engine's errors come back to the fields they are about."""

    action = forms.ChoiceField(label=gettext_lazy("Action"))
    agent = forms.CharField(
        label=gettext_lazy("Agent"),
        help_text=gettext_lazy("Only what this one asks for."),
        max_length=150,
        widget=_text(list="agents"),
    )
    kind = forms.ChoiceField(label=gettext_lazy("Only where"), choices=KINDS)
    argument = forms.CharField(
        label=gettext_lazy("Name of the argument"),
        help_text=gettext_lazy("Where it is about one: “customer”."),
        required=False,
        max_length=200,
        widget=_text(),
    )
    value = forms.CharField(
        label=gettext_lazy("Text"),
        help_text=gettext_lazy("To the character. A beginning ends with / - # _ or a blank."),
        max_length=500,
        strip=False,
        widget=_text(),
    )
    most_argument = forms.CharField(
        label=gettext_lazy("Argument with a most"),
        help_text=gettext_lazy("Such as “amount”."),
        required=False,
        max_length=200,
        widget=_text(),
    )
    most_value = forms.CharField(
        label=gettext_lazy("The most that it may be"),
        required=False,
        max_length=30,
        widget=_text(inputmode="decimal"),
    )
    uses = forms.IntegerField(
        label=gettext_lazy("Uses"),
        help_text=gettext_lazy("After so many it is used up."),
        min_value=1,
        max_value=states.MOST_USES,
    )
    one_in = forms.IntegerField(
        label=gettext_lazy("One of so many is asked of a person"),
        help_text=gettext_lazy("By lot, and unannounced, so that somebody keeps looking."),
        min_value=2,
        max_value=states.RAREST_ASKED,
        initial=exemptions.DEFAULT_ONE_IN,
    )
    until = Moment(
        label=gettext_lazy("Its end"),
        help_text=gettext_lazy("Thirty days from now at the most."),
    )
    reason = Words(
        label=gettext_lazy("Why"), help_text=gettext_lazy("Everybody reads it, and it is kept.")
    )

    def __init__(self, data: Any = None, *, actions: list[tuple[str, str]], **wishes: Any) -> None:
        super().__init__(data, **wishes)
        self.fields["action"].choices = actions  # type: ignore[attr-defined]

    def clean_most_value(self) -> str:
        value: str = self.cleaned_data["most_value"].strip()
        if value and not re.fullmatch(r"(0|[1-9][0-9]{0,14})(\.[0-9]{1,6})?", value):
            raise ValidationError(_("Write a plain number: 50.00"))
        return value

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if bool(found.get("most_argument")) != bool(found.get("most_value")):
            self.add_error("most_argument", _("Name the argument and the most, or neither."))
        return found

    @property
    def wish(self) -> dict[str, Any]:
        """As the engine takes it, of a form that is valid."""
        said = self.cleaned_data
        most = {"argument": said["most_argument"], "value": said["most_value"]}
        return {
            "action": said["action"],
            "agent": f"agent:{said['agent'].removeprefix('agent:')}",
            "scope": {
                "kind": said["kind"],
                "value": said["value"],
                "argument": said["argument"] or None,
            },
            "most": most if said["most_argument"] else None,
            "uses": said["uses"],
            "one_in": said["one_in"],
            "until": said["until"],
        }

    def complain(self, path: str, words: str) -> None:
        """An error at the field that a path of the wish is about."""
        name = path.removeprefix("$.")
        field = {
            "scope.argument": "argument",
            "scope.value": "value",
            "most.argument": "most_argument",
            "most.value": "most_value",
        }.get(name, name)
        self.add_error(field if field in self.fields else None, words)


class ApproveForm(SaidForm):
    """One person's approval of exactly what its digest commits to."""

    digest = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)
    reason = Words(label=gettext_lazy("Reason"), help_text=gettext_lazy("It is kept."), rows=2)
    challenge = forms.CharField(required=False, max_length=600, widget=_text())


class EndForm(SaidForm):
    """Why it ends."""

    def __init__(self, data: Any = None, **wishes: Any) -> None:
        super().__init__(data, auto_id="end-%s", **wishes)

    reason = Words(label=gettext_lazy("Reason"), help_text=gettext_lazy("It is kept."), rows=2)
