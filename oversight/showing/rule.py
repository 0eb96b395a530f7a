"""A rule of the policy in words: the one place where its fields have names.

Rules are as `engine.policies.Rule` describes them; their numbers may come as they were stored.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

Rule = Mapping[str, Any]

LABELS: Mapping[str, Promise] = {
    "groups": gettext_lazy("Who has to approve"),
    "training": gettext_lazy("Qualified by"),
    "reject": gettext_lazy("What ends it"),
    "time_limit_seconds": gettext_lazy("Time limit"),
    "wait_seconds": gettext_lazy("Time to think after the last approval"),
    "fresh_rehearsal": gettext_lazy("Rehearsal"),
    "blind": gettext_lazy("What others said"),
    "challenge": gettext_lazy("Typed by hand"),
    "step_up": gettext_lazy("Second factor to approve"),
    "remind_seconds": gettext_lazy("Reminder"),
    "escalate": gettext_lazy("Where nobody decides"),
}
"""What a rule asks for, in the order in which it is told."""

RISKS: Mapping[str, Promise] = {
    "any": gettext_lazy("At any risk"),
    "low": gettext_lazy("At low risk"),
    "medium": gettext_lazy("At medium risk"),
    "high": gettext_lazy("At high risk"),
}

STEP_UPS: Mapping[str, Promise] = {
    "none": gettext_lazy("none is asked for"),
    "second_factor": gettext_lazy("any, shown for it a moment before"),
    "passkey": gettext_lazy("a passkey, shown for it a moment before"),
}
"""What may be demanded of who approves."""

FACTORS: Mapping[str, Promise] = {
    "totp": gettext_lazy("authenticator app"),
    "passkey": gettext_lazy("passkey"),
    "recovery_codes": gettext_lazy("recovery codes"),
}
"""What kinds of factor are called."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def asks(rule: Rule) -> dict[str, Any]:
    """What it asks for, without what it is for; None for what an older one does not say."""
    return {field: rule.get(field) for field in LABELS}


def title(rule: Rule) -> str:
    """What it is for: "ledger.*, at high risk"."""
    about = _("every action") if rule["action"] == "*" else str(rule["action"])
    if rule["risk"] == "any":
        return about
    return f"{about}, {str(RISKS[rule['risk']]).lower()}"


def who(rule: Rule) -> str:
    """Who has to approve: "2 of reviewer, 1 of treasurer"."""
    quotas = ((int(each["approve"]), each["name"]) for each in rule["groups"])
    return ", ".join(_("%(count)d of %(group)s") % {"count": n, "group": g} for n, g in quotas)


def told(rule: Rule) -> dict[str, str]:
    """Everything that it asks for, each thing under its label."""
    return {str(label): _TOLD[field](rule.get(field)) for field, label in LABELS.items()}


def summary(rule: Rule) -> str:
    """Who has to approve, and whatever else is out of the ordinary: "2 of reviewer; 1 h to think
    after that"."""
    return "; ".join([_people(rule["groups"]), *_beside(rule)])


def _beside(rule: Rule) -> list[str]:
    found = []
    if rule["training"]:
        found.append(_("qualified by %(training)s") % {"training": rule["training"]})
    if int(rule["reject"]) > 1:
        found.append(_("%(count)d rejections end it") % {"count": int(rule["reject"])})
    if int(rule["wait_seconds"]):
        found.append(_("%(span)s to think after that") % {"span": length(rule["wait_seconds"])})
    if rule["fresh_rehearsal"]:
        found.append(_("a rehearsal that still counts"))
    if rule["challenge"] == "always":
        found.append(_("its value typed by hand"))
    if rule["step_up"] != "none":
        passkey = rule["step_up"] == "passkey"
        found.append(_("a passkey to approve") if passkey else _("a second factor to approve"))
    if not rule["blind"]:
        found.append(_("everybody sees what others said"))
    return [*found, *_where_nobody_decides(rule)]


def _where_nobody_decides(rule: Rule) -> list[str]:
    found = []
    if rule.get("remind_seconds"):
        found.append(_("a reminder after %(span)s") % {"span": length(rule["remind_seconds"])})
    if asked := rule.get("escalate"):
        words = {"span": length(asked["after_seconds"]), "group": asked["to"]}
        found.append(_("escalates to %(group)s after %(span)s") % words)
    return found


def length(seconds: object) -> str:
    """A length of time, exactly: 30 min, 24 h, 7 days, 1 h 30 min."""
    left = int(str(seconds))
    if left and left % _DAY == 0 and left > _DAY:
        return _("%(count)d days") % {"count": left // _DAY}
    parts = ((left // _HOUR, _("h")), (left % _HOUR // _MINUTE, _("min")), (left % _MINUTE, _("s")))
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or _("none")


def _people(groups: Any) -> str:
    return who({"groups": groups})


def _training(name: Any) -> str:
    return _("%(training)s, valid for the action") % {"training": name} if name else _("nothing")


def _rejections(count: Any) -> str:
    words = ngettext("one rejection", "%(count)d rejections", int(count))
    return words % {"count": int(count)}


def _rehearsal(demanded: Any) -> str:
    if demanded:
        return _("one that passed and still counts is demanded")
    return _("none is demanded")


def _blind(blind: Any) -> str:
    return _("is seen after one's own word") if blind else _("everybody sees at once")


def _challenge(challenge: Any) -> str:
    if challenge == "always":
        return _("the operative value, always where there is one")
    return _("the operative value, where the risk is high or nothing can be taken back")


def _step_up(demand: Any) -> str:
    return str(STEP_UPS[demand])


def _reminder(seconds: Any) -> str:
    return _("after %(span)s") % {"span": length(seconds)} if seconds else _("none")


def _escalation(asked: Any) -> str:
    if not asked:
        return _("nobody else is asked")
    words = _("escalates to %(group)s after %(span)s; at once if too few people are there")
    return words % {"span": length(asked["after_seconds"]), "group": asked["to"]}


_TOLD = {
    "groups": _people,
    "training": _training,
    "reject": _rejections,
    "time_limit_seconds": length,
    "wait_seconds": length,
    "fresh_rehearsal": _rehearsal,
    "blind": _blind,
    "challenge": _challenge,
    "step_up": _step_up,
    "remind_seconds": _reminder,
    "escalate": _escalation,
}
