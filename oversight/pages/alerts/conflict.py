"""What was said of an alert that had moved on, or of a run that is not paused any more."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from oversight.pages.alerts.reads import Raised
from oversight.showing import words
from oversight.showing.when import absolute

Said = tuple[str, str]


def of_alert(request: HttpRequest, alert: Raised) -> HttpResponse:
    """The 409 page: who took it on or dealt with it, and the way to the current state."""
    return _page(request, alert, _moved_on(alert))


def of_run(request: HttpRequest, alert: Raised) -> HttpResponse:
    """The 409 page: the run goes on already, or has ended."""
    shown = words.shown("run", alert.run_status)
    said = _("The run is not paused any more"), f"{shown.word}: {shown.meaning}"
    return _page(request, alert, said)


def _page(request: HttpRequest, alert: Raised, said: Said) -> HttpResponse:
    context = {
        "headline": said[0],
        "detail": said[1],
        "next_url": reverse("alerts:alert", args=[alert.alert_id]),
        "next_label": _("See where it stands now"),
    }
    return render(request, "409.html", context, status=409)


def _moved_on(alert: Raised) -> Said:
    if alert.status == "resolved" and alert.resolved_at:
        headline = _("%(person)s has dealt with this") % {"person": alert.resolved_by}
        return headline, absolute(alert.resolved_at)
    if alert.acknowledged and alert.acknowledged_at:
        headline = _("%(person)s has taken this on") % {"person": alert.acknowledged_by}
        return headline, absolute(alert.acknowledged_at)
    return _("This alert is open again"), _("It came up once more. Look at it again first.")
