"""The reasons that a reviewer gives with one click, for any of the three decisions."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REASONS: Mapping[str, Promise] = {
    "matches_evidence": _("Matches the evidence"),
    "within_policy": _("Within policy"),
    "wrong_amount": _("Wrong amount"),
    "wrong_target": _("Wrong target"),
    "too_little_evidence": _("Too little evidence"),
    "not_needed": _("Not needed"),
}


def in_words(code: str | None, text: str) -> str:
    """A reason as a sentence: the clicked one, then the reviewer's own words."""
    clicked = str(REASONS.get(code, code)) if code else ""
    return " · ".join(part for part in (clicked, text) if part)
