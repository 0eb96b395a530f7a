"""What the installation's log says of people: who may what, and who changed it."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from oversight.pages.runs.sentence import Facts, Sentence


def invited(facts: Facts) -> Sentence:
    words_ = _("Invited %(name)s") % {"name": facts["subject_name"]}
    return Sentence(words=words_, glyph="person", tone="wait", detail=_groups(facts))


def invitation_withdrawn(facts: Facts) -> Sentence:
    words_ = _("Withdrew the invitation of %(name)s") % {"name": facts["subject_name"]}
    return Sentence(words=words_, glyph="minus-ring")


def added(facts: Facts) -> Sentence:
    words_ = _("Added %(name)s by a command") % {"name": facts["subject_name"]}
    detail = "\n".join(filter(None, (_groups(facts), facts["reason"])))
    return Sentence(words=words_, glyph="person", tone="wait", detail=detail)


def joined(facts: Facts) -> Sentence:
    words_ = _("Came by an invitation of %(name)s") % {"name": facts["person_name"]}
    return Sentence(words=words_, glyph="person", tone="good", detail=_groups(facts))


def changed(facts: Facts) -> Sentence:
    """The account closed or opened, or other groups; what it was is told beside the reason."""
    before, after = facts["before"], facts["after"]
    named, detail = {"name": facts["subject_name"]}, _detail(facts)
    if before["active"] and not after["active"]:
        words_ = _("Closed the account of %(name)s") % named
        return Sentence(words=words_, glyph="slash-ring", tone="bad", detail=detail)
    if after["active"] and not before["active"]:
        words_ = _("Opened the account of %(name)s again") % named
        return Sentence(words=words_, glyph="person", tone="good", detail=detail)
    words_ = _("Changed what %(name)s may do") % named
    return Sentence(words=words_, glyph="person", tone="wait", detail=detail)


def granted(facts: Facts) -> Sentence:
    words_ = _("Qualified %(name)s by %(training)s for %(actions)s") % {
        "name": facts["subject_name"],
        "training": facts["training"],
        "actions": facts["actions"],
    }
    return Sentence(words=words_, glyph="seal", tone="good", detail=facts["reason"])


def withdrawn(facts: Facts) -> Sentence:
    words_ = _("Withdrew a qualification of %(name)s") % {"name": facts["subject_name"]}
    return Sentence(words=words_, glyph="seal", tone="bad", detail=facts["reason"])


def _detail(facts: Facts) -> str:
    before, after = _groups(facts["before"]), _groups(facts["after"])
    lines = [facts["reason"]]
    if before != after:
        lines.append(_("Groups: %(before)s → %(after)s") % {"before": before, "after": after})
    return "\n".join(lines)


def _groups(standing: Mapping[str, Any]) -> str:
    return ", ".join(standing["groups"]) or _("none")
