"""The versions of what a run stands on, and what became of them, in words."""

from collections.abc import Mapping

from django.utils.translation import gettext as _


def changed(facts: Mapping[str, str | None]) -> str:
    """One of them, as it was and as it is now: anybody's words, to be escaped."""
    nothing = _("not named")
    return f"{facts['what']} {facts['was'] or nothing} → {facts['now'] or nothing}"
