"""Who may get an account: nobody by asking for one. Who comes and goes stands in the log."""

from collections.abc import Mapping
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.core import ratelimit
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest

from engine import api

PASSWORD, OPENID, DEMO = "password", "openid", "demo"
"""By which route somebody signs in, as the log has it."""

ELSEWHERE = "socialaccount"
"""What django-allauth calls having shown who one is at another provider."""

_ROUTES = {"password": PASSWORD, ELSEWHERE: OPENID}


class ClosedSignUp(DefaultAccountAdapter):
    """People come by invitation; the sign-up page is closed."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def login(self, request: HttpRequest, user: AbstractBaseUser) -> None:
        super().login(request, user)
        api.note_signed_in(known(user), _route(request, user))

    def logout(self, request: HttpRequest) -> None:
        leaving = request.user
        super().logout(request)
        if leaving.is_authenticated:
            api.note_signed_out(known(leaving))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Asked before anything is looked at, and for a name that nobody has alike."""
        if not ratelimit.consume(request, action="guesses", key=_name(credentials), dry_run=True):
            raise self.validation_error("too_many_login_attempts")
        super().pre_authenticate(request, **credentials)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """By name and address: a stranger elsewhere does not lock its owner out."""
        return f"{_name(credentials)} from {self.get_client_ip(request)}"

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Not called for who is kept waiting after too many attempts."""
        name = _name(credentials)
        ratelimit.consume(request, action="guesses", key=name)
        person = get_user_model().objects.filter(username__iexact=name).first()
        api.note_sign_in_refused(known(person) if person else None, PASSWORD)


def _name(credentials: Mapping[str, Any]) -> str:
    return str(credentials.get("username", "")).lower()


def _route(request: HttpRequest, user: AbstractBaseUser) -> str:
    """The last way by which they have shown who they are, before any second factor."""
    shown = [record.get("method") for record in get_authentication_records(request, user)]
    return next((_ROUTES[method] for method in reversed(shown) if method in _ROUTES), DEMO)


def known(person: Any) -> api.Reviewer:
    """A person as the engine knows them."""
    return api.Reviewer(person_id=person.pk, name=str(person))
