"""What the frame of every page needs to know: the places, and who is looking."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from oversight.access import ROLES, person_id, roles_of
from oversight.reading import attention, decidable

Place = tuple[str, str, bool, int | None, str]
"""Address, words, whether it is here, a count, a sign."""


def frame(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `nav` and `viewer` for whoever is signed in, nothing for a stranger; and
    `stop_control`, the way to the stop, for whoever has a role."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    roles = roles_of(request)
    words = " · ".join(str(word) for role, word in ROLES.items() if role in roles)
    stop = _stop_control() if roles else None
    viewer = {"name": str(user), "role": words}
    return {"nav": _places(request), "viewer": viewer, "stop_control": stop}


def _stop_control() -> dict[str, Any]:
    return {"url": reverse("stop:page"), "in_force": attention.stops_in_force()}


def _places(request: HttpRequest) -> list[Place]:
    here = request.resolver_match.namespace if request.resolver_match else ""
    waiting = decidable.count(person_id(request)) if roles_of(request) else 0
    doubts = attention.unknown_effects() if roles_of(request) else 0
    alerts = attention.open_alerts() if roles_of(request) else 0
    places: list[Place] = [
        (reverse("overview:page"), _("Overview"), here == "overview", None, "overview"),
        (reverse("inbox:page"), _("Inbox"), here in ("inbox", "proposal"), waiting, "inbox"),
        (reverse("runs:page"), _("Runs"), here == "runs", None, "runs"),
        (reverse("unknowns:page"), _("Unknown effects"), here == "unknowns", doubts, "question"),
        (reverse("alerts:page"), _("Alerts"), here == "alerts", alerts, "warning"),
        (reverse("checkpoints:page"), _("Checkpoints"), here == "checkpoints", None, "layers"),
        (reverse("rollbacks:page"), _("Rollback plans"), here == "rollbacks", None, "back"),
        (reverse("policy:page"), _("Policy"), here in ("policy", "exemptions"), None, "ballot"),
        (reverse("people:page"), _("People"), here == "people", None, "person"),
        (reverse("audit:page"), _("Audit"), here == "audit", None, "seal"),
        (reverse("api:page"), _("API"), here == "api", None, "code"),
    ]
    if settings.DEMO:
        places.append((reverse("demo:world"), _("The world"), here == "demo", None, "world"))
    return places
