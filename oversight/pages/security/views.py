"""A person's own second factors. Whoever changes them has shown who they are a moment ago."""

from typing import Any

from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY, generate_totp_secret
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from oversight.access import person
from oversight.openid import identities
from oversight.pages.security.drawn import offered
from oversight.pages.security.forms import AppForm, PasskeyForm
from oversight.second_factor import codes as totp
from oversight.second_factor import factors, passkeys, sessions, showing, tries
from oversight.second_factor import forms as words
from oversight.second_factor.forms import ShowForm

CONFIRM, NEW = "confirm", "new"
"""What a passkey is asked for here."""


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """What there is, and what can be done about it."""
    reader = person(request)
    context = {
        "factors": factors.of(reader.pk),
        "codes_left": factors.codes_left(reader.pk),
        "fresh": sessions.is_fresh(request),
        "identity": identities.of(reader.pk) if settings.PLACET_OPENID else None,
    }
    return render(request, "security/page.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest) -> HttpResponse:
    """Show a second factor, to go on to change them; without one, sign in again."""
    form = ShowForm(_posted(request))
    if form.is_valid() and _is_shown(request, form):
        sessions.has_shown(request)
        return redirect("security:page")
    kinds = factors.kinds(person(request).pk)
    context: dict[str, Any] = {"form": form, "kinds": kinds}
    if "passkey" in kinds:
        context["passkey_options"] = passkeys.ask(request, person(request).pk, CONFIRM)
    return render(request, "security/confirm.html", context, status=422 if form.errors else 200)


def _posted(request: HttpRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _is_shown(request: HttpRequest, form: ShowForm) -> bool:
    try:
        shown = showing.shown(request, person(request), CONFIRM, form)
    except tries.TooManyTries:
        form.add_error(None, words.TOO_MANY)
        return False
    if shown is None:
        form.add_error(None, words.NO_MATCH)
    return shown is not None


@require_http_methods(["GET", "HEAD", "POST"])
def add_app(request: HttpRequest) -> HttpResponse:
    """A secret for an authenticator app, and its first code as a sign that it was taken over."""
    reader = person(request)
    if not sessions.is_fresh(request):
        return redirect("security:confirm")
    if "totp" in factors.kinds(reader.pk):
        messages.warning(request, _("You have an authenticator app. Remove it to add another."))
        return redirect("security:page")
    secret = request.session.setdefault(SECRET_SESSION_KEY, generate_totp_secret())
    form = AppForm(_posted(request))
    if form.is_valid():
        step = totp.matching(secret, form.cleaned_data["code"])
        if step is not None:
            del request.session[SECRET_SESSION_KEY]
            factors.add_app(reader, secret, step)
            return _added(request, _("Your authenticator app is your second factor from now on."))
        form.add_error("code", words.NO_MATCH)
    context = {"form": form, "offered": offered(reader, secret)}
    return render(request, "security/app.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def add_passkey(request: HttpRequest) -> HttpResponse:
    """A passkey that this browser makes, under a name."""
    if not sessions.is_fresh(request):
        return redirect("security:confirm")
    form = PasskeyForm(_posted(request))
    if form.is_valid():
        credential = passkeys.made(request, NEW, form.cleaned_data["credential"])
        if credential is not None:
            factors.add_passkey(person(request), form.cleaned_data["name"], credential)
            return _added(request, _("Your passkey is a second factor of yours from now on."))
        form.add_error(None, _("Your browser made no passkey. Nothing was changed."))
    context = {
        "form": form,
        "passkey_options": passkeys.ask_for_new(request, person(request), NEW),
        "on_a_number": request.get_host().partition(":")[0] == "127.0.0.1",
    }
    return render(request, "security/passkey.html", context, status=422 if form.errors else 200)


def _added(request: HttpRequest, told: str) -> HttpResponse:
    """Whoever has no recovery codes yet is shown the way to them."""
    sessions.has_shown(request)
    messages.success(request, told)
    left = factors.codes_left(person(request).pk)
    return redirect("security:page" if left else "security:codes")


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, factor_id: int) -> HttpResponse:
    """Asked once more, then gone."""
    factor = next((f for f in factors.of(person(request).pk) if f.id == factor_id), None)
    if factor is None:
        messages.warning(request, _("There is no such second factor of yours."))
        return redirect("security:page")
    if not sessions.is_fresh(request):
        return redirect("security:confirm")
    if request.method != "POST":
        last = len(factors.of(person(request).pk)) == 1
        return render(request, "security/remove.html", {"factor": factor, "last": last})
    factors.remove(person(request), factor)
    sessions.has_shown(request)
    messages.success(request, _("It is no second factor of yours any more."))
    return redirect("security:page")


@require_http_methods(["GET", "HEAD", "POST"])
def codes(request: HttpRequest) -> HttpResponse:
    """New recovery codes, shown this once."""
    reader = person(request)
    if not factors.of(reader.pk):
        messages.warning(request, _("Recovery codes are for want of a second factor. Add one."))
        return redirect("security:page")
    if not sessions.is_fresh(request):
        return redirect("security:confirm")
    made = factors.new_codes(reader) if request.method == "POST" else ()
    context = {"codes": made, "codes_left": factors.codes_left(reader.pk)}
    return render(request, "security/codes.html", context)
