"""Showing a second factor, from a form to what was shown; the one way for every page that asks."""

from django.http import HttpRequest

from oversight.models import Person
from oversight.second_factor import codes, factors, passkeys, tries
from oversight.second_factor.forms import ShowForm


def shown(request: HttpRequest, person: Person, purpose: str, form: ShowForm) -> str | None:
    """The kind of factor that was shown, or None. Raises TooManyTries."""
    if form.cleaned_data["credential"]:
        answer = form.cleaned_data["credential"]
        found = tries.tried(
            person, "passkey", lambda: passkeys.shown(request, person.pk, purpose, answer)
        )
    else:
        code = form.cleaned_data["code"]
        found = tries.tried(person, "totp", lambda: codes.shown(person.pk, code))
    return factors.KINDS[found.type] if found else None
