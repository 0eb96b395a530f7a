"""Inviting: an administrator names somebody; the link goes to them by mail, or is shown once."""

import uuid

from django.conf import settings
from django.contrib import messages
from django.core.mail import send_mail
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from engine.errors import BadInput, Conflict, NotFound, NotPermitted
from oversight import inviting
from oversight.access import person
from oversight.models import Invitation
from oversight.pages.people.forms import InviteForm
from oversight.showing import refusals


@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: HttpRequest) -> HttpResponse:
    """Name somebody, their mail address and their roles; by POST they are invited."""
    if request.method != "POST":
        return render(request, "people/invite.html", {"form": InviteForm()})
    form = InviteForm(request.POST)
    if not form.is_valid():
        return render(request, "people/invite.html", {"form": form}, status=422)
    said = form.cleaned_data
    try:
        made = inviting.invite(
            said["name"], said["email"], form.ticked, administrator=person(request)
        )
    except (BadInput, Conflict) as problem:
        form.add_error(None, problem.message)
        return render(request, "people/invite.html", {"form": form}, status=422)
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    return _told(request, *made)


def again(request: HttpRequest, invitation_id: uuid.UUID) -> HttpResponse:
    """Another link for somebody who has not come, by POST; the one before opens nothing."""
    if request.method != "POST":
        return redirect("people:page")
    try:
        made = inviting.invite_again(invitation_id, administrator=person(request))
    except NotFound as problem:
        raise Http404 from problem
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    return _told(request, *made)


def recall(request: HttpRequest, invitation_id: uuid.UUID) -> HttpResponse:
    """Withdraw an invitation, by POST."""
    if request.method != "POST":
        return redirect("people:page")
    try:
        found = inviting.withdraw(invitation_id, administrator=person(request))
    except NotFound as problem:
        raise Http404 from problem
    except NotPermitted as problem:
        raise refusals.denied(problem) from problem
    words = _("The invitation of %(name)s is withdrawn: its link opens nothing.")
    messages.success(request, words % {"name": found.full_name})
    return redirect("people:page")


def _told(request: HttpRequest, made: Invitation, token: str) -> HttpResponse:
    """Sent by mail where there is a mail service that takes it; else shown, this once."""
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    if settings.PLACET_SENDS_MAIL and _sent(made, link):
        inviting.note_sent(made)
        words = _("%(name)s is invited: the link is on its way to %(address)s.")
        messages.success(request, words % {"name": made.full_name, "address": made.email})
        return redirect("people:page")
    context = {"invited": made, "link": link, "mail_failed": settings.PLACET_SENDS_MAIL}
    return render(request, "people/invited.html", context)


def _sent(made: Invitation, link: str) -> bool:
    """A reference and an expiry; no more is known from it than from the link itself."""
    words = render_to_string("people/invitation.txt", {"invited": made, "link": link})
    try:
        return send_mail(_("You are invited to Placet"), words, None, [made.email]) == 1
    except OSError:
        return False
