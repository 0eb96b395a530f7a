"""A second factor as it is posted."""

from typing import Any

from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

NO_MATCH = gettext_lazy("This does not match, or it was used before. Wait for the next code.")
TOO_MANY = gettext_lazy("Too many did not match. Try again in a quarter of an hour.")


class Code(forms.CharField):
    """Six digits of an authenticator app, typed as phones like it."""

    def __init__(self, **wishes: Any) -> None:
        attributes = {"autocomplete": "one-time-code", "inputmode": "numeric", "size": 10}
        plain = {"label": gettext_lazy("Code of your authenticator app"), "max_length": 40}
        super().__init__(**{**plain, **wishes}, widget=forms.TextInput(attrs=attributes))


class ShowForm(forms.Form):
    """A code, or what a browser says of a passkey: one of them."""

    code = Code(required=False)
    credential = forms.CharField(required=False, max_length=16_000, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if not self.errors and bool(found.get("code")) == bool(found.get("credential")):
            self.add_error("code", _("Type the code that your app shows now."))
        return found


class ApprovalForm(ShowForm):
    """A second factor, for exactly what was displayed."""

    digest = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)


class SignInCode(AuthenticateForm):
    """The second step of signing in; here a recovery code counts too."""

    code = Code(
        label=gettext_lazy("Code"),
        help_text=gettext_lazy("Of your authenticator app, or one of your recovery codes."),
    )
    authenticator: Authenticator

    def clean_code(self) -> str:
        from oversight.second_factor import codes, tries

        code: str = self.cleaned_data["code"]
        try:
            found = tries.tried(
                self.user,
                "totp",
                lambda: codes.shown(self.user.pk, code) or codes.recovered(self.user.pk, code),
            )
        except tries.TooManyTries as problem:
            raise ValidationError(TOO_MANY) from problem
        if found is None:
            raise ValidationError(NO_MATCH)
        self.authenticator = found
        return code
