"""What is posted to have a second factor."""

from django import forms
from django.utils.translation import gettext_lazy as _

from oversight.second_factor.forms import Code


class AppForm(forms.Form):
    """The first code of a new authenticator app."""

    code = Code(label=_("Code that the app shows now"))


class PasskeyForm(forms.Form):
    """A new passkey, and what its owner calls it."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("So that you know it again: the laptop, the key on the ring."),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    credential = forms.CharField(required=False, max_length=64_000, widget=forms.HiddenInput)
