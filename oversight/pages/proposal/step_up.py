"""Showing a second factor, for one approval of exactly what was displayed. Nothing is decided here:
afterwards the reviewer sees the proposal again."""

import uuid
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from oversight.pages.proposal import conflict, reads, stepping_up
from oversight.second_factor import for_approval


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, proposal_id: uuid.UUID, version: int) -> HttpResponse:
    """The form; and by POST the factor itself, which then counts for one approval."""
    item = reads.version(proposal_id, version)
    if item is None:
        raise Http404
    return for_approval.page(
        request,
        stepping_up.subject(item),
        "proposal/step_up.html",
        {"item": item},
        partial(conflict.page, request, item),
    )
