"""What an action's page says first, as pairs of a label and a value."""

from datetime import timedelta

from django.utils.html import format_html
from django.utils.translation import gettext as _

from oversight.pages.rollbacks.plans import Whole
from oversight.showing import when, words

Fact = tuple[object, ...]


def facts(action: Whole) -> list[Fact]:
    target = words.shown("target", action.plan.target_class)
    found: list[Fact] = [
        (_("Action"), action.plan.title, action.plan.label),
        (_("Target"), target.word, target.meaning),
        (_("One call"), _span(action.call_seconds), _("Then it is given up, and is unknown.")),
        (
            _("Verification"),
            _span(action.verify_seconds),
            _("So long it may not show yet; then a person is asked."),
        ),
    ]
    if action.plan.target_class == "idempotent":
        held = _("So long the target knows a key; after that it is not sent again by itself.")
        found.insert(2, (_("Keys are known for"), _span(action.dedupe_window), held))
    return [*found, (_("Defined in"), format_html("<code>{}</code>", action.defined))]


def _span(seconds: float) -> str:
    if seconds == int(seconds):
        return when.span(timedelta(seconds=seconds))
    return _("%(seconds)s s") % {"seconds": f"{seconds:g}"}
