"""Coming: who was invited chooses how they sign in. Opening the link changes nothing: a mail
scanner may do it, too."""

from allauth.core import ratelimit
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from engine.errors import Conflict, NotFound, NotPermitted
from oversight import inviting
from oversight.models import Invitation, Person
from oversight.pages.people.forms import JoinForm


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a link, and by POST the account."""
    found = inviting.by_token(token)
    if found is None:
        return _nothing(request)
    form = JoinForm(request.POST if request.method == "POST" else None, person=_to_be(found))
    if request.method != "POST":
        return _page(request, found, form)
    if not ratelimit.consume(request, action="join"):
        form.add_error(None, _("These are too many attempts: wait a minute."))
        return _page(request, found, form, status=429)
    if not form.is_valid():
        return _page(request, found, form, status=422)
    return _join(request, found, form, token)


def _join(request: HttpRequest, found: Invitation, form: JoinForm, token: str) -> HttpResponse:
    said = form.cleaned_data
    try:
        inviting.accept(token, said["username"], said["password"])
    except Conflict as problem:
        form.add_error("username", problem.message)
        return _page(request, found, form, status=422)
    except (NotFound, NotPermitted):
        return _nothing(request)
    messages.success(request, _("Your account is there. Sign in with it."))
    return redirect("account_login")


def _to_be(found: Invitation) -> Person:
    """For the password's sake: it may not be like their name or address."""
    return Person(full_name=found.full_name, email=found.email)


def _page(
    request: HttpRequest, found: Invitation, form: JoinForm, status: int = 200
) -> HttpResponse:
    return render(request, "people/join.html", {"invited": found, "form": form}, status=status)


def _nothing(request: HttpRequest) -> HttpResponse:
    """The same for whatever opens nothing, so that nothing is learned from it."""
    return render(request, "people/no_invitation.html", status=404)
