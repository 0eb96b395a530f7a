"""The log, re-computed on demand: as much of it as a page can wait for."""

import uuid

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from engine.auditing import Report
from oversight.pages.audit import reads
from oversight.pages.audit.forms import VerifyOrder

MOST = 200_000
"""So many events are verified while somebody waits."""

TOO_MUCH = gettext_lazy(
    "There are more events than a page can wait for. On the server, run: manage.py verify_log"
)


def ordered(posted: QueryDict) -> uuid.UUID | None:
    """Whose log is to be verified; None for everybody's. Raises BadRequest for what is no run."""
    form = VerifyOrder(posted)
    if not form.is_valid():
        raise BadRequest("This is no run.")
    run_id: uuid.UUID | None = form.cleaned_data["run"]
    return run_id


def too_much(run_id: uuid.UUID | None) -> bool:
    return reads.events_of(run_id) > MOST


def tell(request: HttpRequest, report: Report) -> None:
    """The result, once, above the page that goes on showing it."""
    counts = {"events": report.events, "runs": report.runs, "faults": len(report.faults)}
    if report.intact:
        messages.success(request, _("Intact. Events checked: %(events)d, runs: %(runs)d.") % counts)
    elif not report.events:
        messages.error(request, _("Nothing was checked, and that is not a pass."))
    else:
        words = _("Not intact. Faults: %(faults)d; events checked: %(events)d, runs: %(runs)d.")
        messages.error(request, words % counts)
