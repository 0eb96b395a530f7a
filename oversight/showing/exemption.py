"""Standing exemptions in words: who gave one, what it is for, and what ended it."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

ENDS: Mapping[str, Promise] = {
    "revoked": gettext_lazy("somebody ended it"),
    "stopped": gettext_lazy("a stop came"),
    "rule_changed": gettext_lazy("another rule holds for its action"),
    "action_changed": gettext_lazy("there is another version of its action"),
    "rejected": gettext_lazy("a request that it is for was rejected"),
    "not_approved": gettext_lazy("nobody approved what people were asked to look at"),
    "verification_failed": gettext_lazy("something that it let through was not verified"),
    "rolled_back": gettext_lazy("something that it let through was taken back"),
}


def end(why: str) -> str:
    """What ended it."""
    return str(ENDS.get(why, why))


def names(people: Iterable[str]) -> str:
    """Those who gave it."""
    return str(get_text_list(list(people), _("and")))


def scope(shown: Mapping[str, Any]) -> str:
    """What it is for, of what was shown of it."""
    where = shown["scope"]
    if "target" in where:
        return _("the target \u201c%(value)s\u201d") % {"value": where["target"]}
    if "beginning" in where:
        words_ = _("targets that begin with \u201c%(value)s\u201d")
        return words_ % {"value": where["beginning"]}
    return _("%(argument)s is \u201c%(value)s\u201d") % where


def most(shown: Mapping[str, Any]) -> str:
    """The most that it lets; nothing where nothing is said."""
    named = shown["most"]
    return _("%(argument)s up to %(value)s") % named if named else ""
