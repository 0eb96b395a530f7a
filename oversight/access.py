"""Who may go where: every route of the project and the roles that may take it.

A role is a group of the same name; and a group that the policy in force names has the reviewers'.
A route that is not listed here is refused to everybody, so a new one has to be given its roles
before it can be seen. What somebody may do to a run is not decided here but in the engine, which
asks again at every door.
"""

import logging
from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.cache import patch_vary_headers
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_htmx.http import HttpResponseClientRedirect

from engine import api
from oversight.reading import deciders

if TYPE_CHECKING:
    from oversight.models import Person

logger = logging.getLogger(__name__)

ROLES: Mapping[str, Promise] = {
    "reviewer": gettext_lazy("Reviewer"),
    "operator": gettext_lazy("Operator"),
    "auditor": gettext_lazy("Auditor"),
    "integrator": gettext_lazy("Integrator"),
    "administrator": gettext_lazy("Administrator"),
}


class Open(Enum):
    """Routes that ask for no role."""

    TO_ALL = "no sign-in is needed"
    TO_KEYS = "the route asks for an agent's key itself and takes no session"


Allowed = frozenset[str] | Open

EVERYBODY = frozenset(ROLES)
"""Everybody who is signed in and has a role, whichever it is."""

REVIEWERS = frozenset({"reviewer"})

OPERATORS = frozenset({"operator"})

STOPPERS = frozenset({"operator", "administrator"})
"""Who places a stop, and lifts it."""

AUDITORS = frozenset({"auditor", "operator", "administrator"})
"""Who has the log verified, and takes exports of it away."""

ADMINISTRATORS = frozenset({"administrator"})
"""Who lets people in, and changes the policy: one proposes, another puts it in force."""

ROUTES: Mapping[str, Allowed] = {
    "start": Open.TO_ALL,
    "account_login": Open.TO_ALL,
    "account_logout": Open.TO_ALL,
    "invitation": Open.TO_ALL,
    "account_inactive": Open.TO_ALL,
    "mfa_authenticate": Open.TO_ALL,
    "openid:start": Open.TO_ALL,
    "openid:back": Open.TO_ALL,
    "openid:link": EVERYBODY,
    "openid:unlink": EVERYBODY,
    "security:page": EVERYBODY,
    "security:confirm": EVERYBODY,
    "security:add_app": EVERYBODY,
    "security:add_passkey": EVERYBODY,
    "security:remove": EVERYBODY,
    "security:codes": EVERYBODY,
    "overview:page": EVERYBODY,
    "overview:live": EVERYBODY,
    "overview:measured": EVERYBODY,
    "overview:proposals": EVERYBODY,
    "overview:news": EVERYBODY,
    "inbox:page": EVERYBODY,
    "inbox:live": EVERYBODY,
    "inbox:choose": REVIEWERS,
    "inbox:reject": REVIEWERS,
    "proposal:newest": EVERYBODY,
    "proposal:version": EVERYBODY,
    "proposal:live": EVERYBODY,
    "proposal:decide": REVIEWERS,
    "proposal:step_up": REVIEWERS,
    "proposal:take_back": REVIEWERS,
    "proposal:edit": REVIEWERS,
    "proposal:claim": REVIEWERS,
    "proposal:look": REVIEWERS,
    "proposal:seen": AUDITORS,
    "proposal:seen_page": AUDITORS,
    "runs:page": EVERYBODY,
    "runs:run": EVERYBODY,
    "runs:live": EVERYBODY,
    "runs:ask": OPERATORS,
    "runs:rollback": OPERATORS,
    "runs:take_back": OPERATORS,
    "runs:by_hand": OPERATORS,
    "runs:fork": OPERATORS,
    "runs:budget": OPERATORS,
    "unknowns:page": EVERYBODY,
    "unknowns:news": EVERYBODY,
    "unknowns:effect": EVERYBODY,
    "unknowns:live": EVERYBODY,
    "unknowns:ask": OPERATORS,
    "unknowns:rule": OPERATORS,
    "alerts:page": EVERYBODY,
    "alerts:news": EVERYBODY,
    "alerts:alert": EVERYBODY,
    "alerts:live": EVERYBODY,
    "alerts:acknowledge": OPERATORS,
    "alerts:resolve": OPERATORS,
    "alerts:resume": OPERATORS,
    "alerts:accept": OPERATORS,
    "stop:page": EVERYBODY,
    "stop:live": EVERYBODY,
    "stop:receipt": EVERYBODY,
    "stop:place": STOPPERS,
    "stop:lift": STOPPERS,
    "checkpoints:page": EVERYBODY,
    "checkpoints:live": EVERYBODY,
    "checkpoints:at": EVERYBODY,
    "checkpoints:compare": EVERYBODY,
    "checkpoints:checkpoint": EVERYBODY,
    "checkpoints:download": EVERYBODY,
    "checkpoints:value": EVERYBODY,
    "rollbacks:page": EVERYBODY,
    "rollbacks:action": EVERYBODY,
    "rollbacks:rehearsal": EVERYBODY,
    "exemptions:page": EVERYBODY,
    "exemptions:exemption": EVERYBODY,
    "exemptions:propose": ADMINISTRATORS,
    "exemptions:approve": REVIEWERS,
    "exemptions:step_up": REVIEWERS,
    "exemptions:end": REVIEWERS | ADMINISTRATORS,
    "policy:page": EVERYBODY,
    "policy:version": EVERYBODY,
    "policy:replay": EVERYBODY,
    "policy:propose": ADMINISTRATORS,
    "policy:answer": ADMINISTRATORS,
    "people:page": EVERYBODY,
    "people:me": EVERYBODY,
    "people:person": EVERYBODY,
    "people:invite": ADMINISTRATORS,
    "people:again": ADMINISTRATORS,
    "people:recall": ADMINISTRATORS,
    "people:change": ADMINISTRATORS,
    "people:qualify": ADMINISTRATORS,
    "people:withdraw": ADMINISTRATORS,
    "audit:page": EVERYBODY,
    "audit:live": EVERYBODY,
    "audit:event": EVERYBODY,
    "audit:exports": EVERYBODY,
    "audit:exports_live": EVERYBODY,
    "audit:verify": AUDITORS,
    "audit:export": AUDITORS,
    "api:page": EVERYBODY,
    "api:problem": EVERYBODY,
    "api:openapi": Open.TO_ALL,
    "api:nowhere": Open.TO_KEYS,
    "demo:sign_in": Open.TO_ALL,
    "demo:world": EVERYBODY,
    "demo:elsewhere": EVERYBODY,
}

NAMESPACES: Mapping[str, Allowed] = {"api:v1": Open.TO_KEYS}
"""Where the names of the routes are made by a library."""


def allowed(view_name: str) -> Allowed:
    """Who may take a route: nobody, where it is listed nowhere."""
    namespace = view_name.rpartition(":")[0]
    return ROUTES.get(view_name) or NAMESPACES.get(namespace) or frozenset()


def roles_of(request: HttpRequest) -> frozenset[str]:
    """The roles of whoever is signed in; asked once per request. Who decides by the policy in force
    goes where reviewers go, whatever their group is called."""
    if not hasattr(request, "_roles"):
        names = request.user.groups.values_list("name", flat=True) if _signed_in(request) else ()
        request._roles = _roles(frozenset(names))  # type: ignore[attr-defined]
    return request._roles  # type: ignore[attr-defined]


def _roles(groups: frozenset[str]) -> frozenset[str]:
    decides = groups and not groups & REVIEWERS and deciders.are_named(groups)
    return groups & EVERYBODY | (REVIEWERS if decides else frozenset())


def person_id(request: HttpRequest) -> int:
    """Who is signed in, on a route that lets nobody else through."""
    return cast("int", request.user.pk)


def person(request: HttpRequest) -> "Person":
    """The same, as the row of a person."""
    return cast("Person", request.user)


def speaker(request: HttpRequest) -> api.Reviewer:
    """The same, as the engine hears them."""
    return api.Reviewer(person_id=person_id(request), name=str(request.user))


def _signed_in(request: HttpRequest) -> bool:
    return request.user.is_authenticated and request.user.is_active


class RouteAccess:
    """Let a request through to the routes of its roles, and keep what it sees out of caches."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        match = request.resolver_match
        if (match and allowed(match.view_name) is Open.TO_KEYS) or _signed_in(request):
            response.headers["Cache-Control"] = "no-store"
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        name = request.resolver_match.view_name if request.resolver_match else ""
        may = allowed(name)
        if isinstance(may, Open):
            return None
        if not may:
            logger.error("the route %r is listed for no role and was refused", name)
        if not _signed_in(request):
            return to_sign_in(request)
        return None if may & roles_of(request) else refused(request, may)


def to_sign_in(request: HttpRequest) -> HttpResponse:
    """Send somebody unknown to the sign-in page, and from there back to the page they wanted."""
    page = request.get_full_path()
    if request.htmx:  # type: ignore[attr-defined]
        page = request.htmx.current_url_abs_path or "/"  # type: ignore[attr-defined]
    address = f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': page})}"
    kind = HttpResponseClientRedirect if request.htmx else HttpResponseRedirect  # type: ignore[attr-defined]
    response: HttpResponse = kind(address)
    response.headers["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["Cookie", "HX-Request"])
    return response


def refused(request: HttpRequest, may: frozenset[str]) -> HttpResponse:
    """The page that says which roles could do this."""
    words = {
        "exception": _("Your roles do not allow it. Nothing was changed."),
        "who_could": [str(ROLES[role]) for role in ROLES if role in may],
    }
    return render(request, "403.html", words, status=403)


def closed_account(request: HttpRequest) -> HttpResponse:
    """Where the sign-in page sends those whose account was closed."""
    words = {"exception": _("This account is closed: it can be used for nothing any more.")}
    return render(request, "403.html", words, status=403)
