"""What a session has shown: when, by which way it began, and a name for it that no page tells."""

import secrets
import time
from typing import Any

from allauth.account.authentication import get_authentication_records
from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from engine import states
from engine.canonical import sha256_hex
from oversight.models import Person
from oversight.signing_in import ELSEWHERE

_NAME, _SHOWN_AT = "placet.session", "placet.shown_at"


def name(request: HttpRequest) -> str:
    """SHA-256 (hex) of the session's name: the same until somebody signs in again or out."""
    if _NAME not in request.session:
        request.session[_NAME] = secrets.token_urlsafe(32)
    return sha256_hex(request.session[_NAME].encode())


def is_fresh(request: HttpRequest) -> bool:
    """Who is there has signed in, or shown their second factor, a short while ago."""
    age = time.time() - request.session.get(_SHOWN_AT, 0)
    return bool(0 <= age < settings.PLACET_FRESH_SECONDS)


def has_shown(request: HttpRequest) -> None:
    """A second factor was shown just now. The session goes on under another key: whoever knew the
    one before has lost it."""
    request.session[_SHOWN_AT] = time.time()
    request.session.cycle_key()


def accepted(request: HttpRequest, person: Person) -> tuple[str, ...]:
    """Which kinds of factor count in this session. Who signed in at another provider (OpenID
    Connect) is asked for a passkey: what else they have shown, they may have shown only there."""
    return ("passkey",) if ELSEWHERE in _methods(request, person) else states.FACTORS


def _methods(request: HttpRequest, person: Person) -> set[str | None]:
    return {record.get("method") for record in get_authentication_records(request, person)}


@receiver(user_logged_in, dispatch_uid="placet.session")
def _begun(request: HttpRequest, user: Person, **_: Any) -> None:
    """Signing in asks for a second factor where there is one, so it counts as showing it. To have
    come from another provider does not: there, somebody may have been signed in for days."""
    request.session[_NAME] = secrets.token_urlsafe(32)
    methods = _methods(request, user)
    if ELSEWHERE not in methods or "mfa" in methods:
        request.session[_SHOWN_AT] = time.time()
