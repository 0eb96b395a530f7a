"""Going to the provider and coming back, to sign in or to link. Who is not let in is told why on
the page that they came from, and nothing of what was sent stays in an address."""

import logging
from urllib.parse import urlencode

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import get_next_redirect_url, perform_login
from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from engine import api
from engine.errors import Conflict
from oversight.access import person
from oversight.openid import attempts, exchange, identities
from oversight.openid.attempts import Attempt
from oversight.openid.identities import named
from oversight.openid.problems import Declined, NotBelieved, OutOfReach
from oversight.second_factor import sessions
from oversight.signing_in import ELSEWHERE, OPENID, known

logger = logging.getLogger(__name__)


@never_cache
@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Off to the provider, to sign in."""
    if request.user.is_authenticated:
        return redirect(settings.LOGIN_REDIRECT_URL)
    return _off(request, attempts.begun(request, get_next_redirect_url(request) or ""))


def link(request: HttpRequest) -> HttpResponse:
    """Off to the provider, to link who one is there to the account here; by POST."""
    if request.method != "POST":
        return redirect("security:page")
    if not sessions.is_fresh(request):
        return redirect("security:confirm")
    return _off(request, attempts.begun(request))


def unlink(request: HttpRequest) -> HttpResponse:
    """The identity signs nobody in any more, by POST."""
    if request.method != "POST":
        return redirect("security:page")
    if not sessions.is_fresh(request):
        return redirect("security:confirm")
    identities.unlink(person(request))
    messages.success(request, _("You sign in with your password alone from now on."))
    return redirect("security:page")


def _off(request: HttpRequest, attempt: Attempt) -> HttpResponse:
    if not ratelimit.consume(request, action="openid"):
        return render(request, "429.html", status=429)
    try:
        address = exchange.way_there(request, named(), attempt)
    except OutOfReach as problem:
        return _out_of_reach(request, attempt, problem)
    return HttpResponseRedirect(address)


@never_cache
@require_safe
def back(request: HttpRequest) -> HttpResponse:
    """Who comes back from the provider, with its answer to an attempt that was begun here."""
    attempt = attempts.taken_up(request)
    if attempt is None:
        words = _("This was not begun here, or too long ago. Nobody was signed in: begin again.")
        messages.warning(request, words)
        return redirect("account_login")
    try:
        subject = exchange.subject(request, named(), attempt)
    except OutOfReach as problem:
        return _out_of_reach(request, attempt, problem)
    except Declined as problem:
        return _declined(request, attempt, problem)
    except NotBelieved as problem:
        return _not_believed(request, attempt, problem)
    return _enter(request, attempt, subject) if attempt.person is None else _link(request, subject)


def _enter(request: HttpRequest, attempt: Attempt, subject: str) -> HttpResponse:
    """It counts as the password does: whoever has a second factor is asked for it next."""
    found = identities.whose(subject)
    if found is None or not found.is_active:
        api.note_sign_in_refused(known(found) if found else None, OPENID)
        return redirect("account_inactive") if found else _unknown(request, attempt)
    identities.note_used(found)
    record_authentication(request, found, ELSEWHERE)
    request.session.set_expiry(0)
    entered: HttpResponse = perform_login(request, found, redirect_url=attempt.then or None)
    return entered


def _link(request: HttpRequest, subject: str) -> HttpResponse:
    try:
        identities.link(person(request), subject)
    except Conflict:
        words = _("Nothing was linked: you, or somebody else, have linked an account of %(name)s.")
        messages.error(request, words % _named())
    else:
        messages.success(request, _("From now on %(name)s signs you in here, too.") % _named())
    return redirect("security:page")


def _unknown(request: HttpRequest, attempt: Attempt) -> HttpResponse:
    words = _(
        "%(name)s knows you, but nobody here has linked that. Sign in with your password, then "
        "link it on your page Security. Who has no account here asks for an invitation."
    )
    return _nobody(request, attempt, words)


def _declined(request: HttpRequest, attempt: Attempt, problem: Exception) -> HttpResponse:
    logger.info("the provider let nobody in: %s", problem)
    return _nobody(request, attempt, _("%(name)s let nobody in, or you gave up there."))


def _not_believed(request: HttpRequest, attempt: Attempt, problem: Exception) -> HttpResponse:
    logger.warning("what the provider said of somebody is not believed: %s", problem)
    api.note_sign_in_refused(None, OPENID)
    words = _("What came back from %(name)s does not show who you are. Nothing was done.")
    return _nobody(request, attempt, words)


def _out_of_reach(request: HttpRequest, attempt: Attempt, problem: Exception) -> HttpResponse:
    logger.error("the identity provider is out of reach: %s", problem)
    words = _("%(name)s cannot be reached now. Try again in a minute, or use your password.")
    return _nobody(request, attempt, words)


def _nobody(request: HttpRequest, attempt: Attempt, words: str) -> HttpResponse:
    """Back to where they came from, as the person they were before."""
    messages.warning(request, words % _named())
    if attempt.person is not None:
        return redirect("security:page")
    wanted = f"?{urlencode({REDIRECT_FIELD_NAME: attempt.then})}" if attempt.then else ""
    return redirect(resolve_url(settings.LOGIN_URL) + wanted)


def _named() -> dict[str, str]:
    return {"name": named().name}
