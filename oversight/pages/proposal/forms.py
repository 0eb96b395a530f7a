"""A decision as it is posted."""

from typing import Any

from django import forms
from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from engine import states
from oversight.reading.reasons import REASONS
from oversight.reading.typed import SaidForm, Words

ONCE = ("decision", "version", "digest", "displayed")
"""Fields without which, or with more than one of which, nothing was decided."""

AT_MOST_ONCE = ("reason_code", "reason", "challenge", "opened")

MOST = 4000
"""Characters of a reason."""


MOST_TYPED = 400
"""Characters that may be typed where a value is asked for; none that is asked for has as many."""


class DecisionForm(forms.Form):
    """One of the three decisions, and why.

    The buttons carry `decision`; nothing is chosen beforehand. The reviewer's own words are the
    question when the decision is to return. `challenge` is what was typed, as it was typed: whether
    it is right is for the engine to say.
    """

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    digest = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)
    displayed = forms.CharField(max_length=2000, widget=forms.HiddenInput)
    decision = forms.ChoiceField(choices=[(word, word) for word in states.DECISIONS])
    opened = forms.RegexField(
        r"^[0-9]{1,3}/[0-9]{1,3}$",
        required=False,
        widget=forms.HiddenInput(attrs={"data-folds-opened": ""}),
    )
    reason_code = forms.ChoiceField(
        label=_("Reason"),
        required=False,
        choices=list(REASONS.items()),
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label=_("In your own words"),
        help_text=_("A reason, or the question that the agent is sent. Kept with the decision."),
        required=False,
        max_length=MOST,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    challenge = forms.CharField(
        help_text=_("Rejecting and returning need nothing typed."),
        required=False,
        strip=False,
        max_length=MOST_TYPED,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "off",
                "spellcheck": "false",
                "dir": "auto",
            }
        ),
    )

    def clean_reason(self) -> str:
        """Line ends as one character, as they are shown everywhere."""
        return self.cleaned_data["reason"].replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if not all(name in found for name in ONCE):
            self.add_error(None, _("This was not one of the three decisions on this page."))
        decision, words = found.get("decision"), found.get("reason")
        if decision == "return" and not words:
            self.add_error("reason", _("Ask your question; the agent is sent these words."))
        elif decision and not (words or found.get("reason_code")):
            self.add_error("reason_code", _("Choose a reason, or write one."))
        return found

    @property
    def question(self) -> str | None:
        """The question of a return; nothing otherwise."""
        words: str = self.cleaned_data["reason"]
        return words if self.cleaned_data["decision"] == "return" else None


class TakeBackForm(SaidForm):
    """Why somebody takes their approval back."""

    reason = Words(label=_("Reason"), help_text=_("Others who decide this will read it."), rows=2)


def posted(data: QueryDict) -> DecisionForm:
    """The form as it came. Raises BadRequest where a field is missing or there twice."""
    for name in ONCE:
        if len(data.getlist(name)) != 1:
            raise BadRequest(f"The field {name!r} must be there once.")
    for name in AT_MOST_ONCE:
        if len(data.getlist(name)) > 1:
            raise BadRequest(f"The field {name!r} is there more than once.")
    return DecisionForm(data)
