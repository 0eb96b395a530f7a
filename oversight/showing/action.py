"""The name of an action, which leads to everything about it where this code has it."""

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from engine import actions
from oversight.showing.text import revealed_code


def link(label: str) -> SafeString:
    """An action as the log names it, "ledger.refund v1"; text alone where it is known no more."""
    for action in actions.registered():
        if action.label() == label:
            address = reverse("rollbacks:action", args=[action.name, action.version])
            return format_html('<a href="{}">{}</a>', address, label)
    return revealed_code(label)
