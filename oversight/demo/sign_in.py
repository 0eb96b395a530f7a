"""Signing in as one of the cast with one click, for the demo alone: there is no password."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.utils import perform_login
from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, resolve_url
from django.views.decorators.http import require_POST

from engine import api
from oversight.demo.cast import CAST
from oversight.models import Person
from oversight.second_factor import factors
from oversight.signing_in import DEMO, known


def cast(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `demo_cast`, whom a stranger may step in as."""
    user = getattr(request, "user", None)
    return {} if user is None or user.is_authenticated else {"demo_cast": CAST}


@require_POST
def enter(request: HttpRequest, name: str) -> HttpResponse:
    """Sign in as this person of the cast, in a session of their own; nobody else can be chosen.

    The click stands for the password alone: a second factor that somebody gave them is asked for.
    """
    if name not in {part.name for part in CAST}:
        raise Http404
    person = get_object_or_404(Person, username=name, is_active=True)
    if factors.kinds(person.pk):
        get_adapter().logout(request)
        answer: HttpResponse = perform_login(request, person)
        return answer
    login(request, person, backend=settings.AUTHENTICATION_BACKENDS[0])
    api.note_signed_in(known(person), DEMO)
    return redirect(resolve_url(settings.LOGIN_REDIRECT_URL))
