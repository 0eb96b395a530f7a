"""What was sent, as pairs of a label and a value."""

from datetime import datetime

from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from engine import conf
from oversight.pages.unknowns.reads import Doubt
from oversight.showing import action, when
from oversight.showing.text import hashed, revealed

Fact = tuple[object, ...]


def sent(doubt: Doubt, now: datetime) -> list[Fact]:
    """The intent as the gate let it through, and until when a call of it can arrive."""
    return [
        (_("Action"), action.link(doubt.action), _allowed(doubt)),
        (_("Target"), revealed(doubt.terms["target"])),
        (_("Asked by"), revealed(doubt.terms["agent"].partition(":")[2]), _run(doubt)),
        (_("First sent"), when.when(doubt.first_sent_at, now)),
        (
            _("Attempt"),
            doubt.attempt,
            _("fencing token %(token)d") % {"token": doubt.fencing_token},
        ),
        (_("Call deadline"), when.when(doubt.call_deadline, now), _arrives(doubt)),
        (_("Key"), hashed(doubt.idempotency_key), _("The target saw this key with the call.")),
    ]


def _arrives(doubt: Doubt) -> str:
    if doubt.past:
        return _(
            "It has passed, and %(margin)g s of margin too: no call of it can arrive any more."
        ) % {"margin": conf.margin_seconds()}
    return _("A call of it may arrive until then, and %(margin)g s longer.") % {
        "margin": conf.margin_seconds()
    }


def _allowed(doubt: Doubt) -> object:
    words = _("the approved proposal")
    if doubt.compensates:
        words = _("a rollback; the proposal that allowed it")
    address = reverse("proposal:version", args=[doubt.proposal_id, doubt.version])
    return format_html('<a href="{}">{}</a>', address, words)


def _run(doubt: Doubt) -> object:
    address = reverse("runs:run", args=[doubt.run_id])
    return format_html('<a href="{}">{}</a>', address, _("the whole run, event by event"))
