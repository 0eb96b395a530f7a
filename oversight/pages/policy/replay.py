"""What one decided proposal would have come to under another rule, by what was said of it.

People say no more once a proposal is closed: what they would have said is not guessed.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from engine.api import Short
from engine.states import STEP_UPS
from oversight.showing import rule as words

Rule = Mapping[str, Any]
Voices = tuple[frozenset[int], str | None]
"""People who approve, and the group that counts besides, where it has come to that."""
Lacks = Mapping[Voices, Short | None]
"""What these approvals lack, by the groups of the rule; None: they suffice."""

KINDS: Mapping[str, Promise] = {
    "same": gettext_lazy("the same"),
    "more": gettext_lazy("would need more approvals"),
    "waits": gettext_lazy("would wait longer"),
    "late": gettext_lazy("would be too late"),
    "ended": gettext_lazy("would be ended by a rejection"),
    "approved": gettext_lazy("would be approved"),
    "open": gettext_lazy("would stay open longer"),
    "escalated": gettext_lazy("would be escalated"),
}
"""What it can come to, beside what it came to."""

TO_OPEN = timedelta(minutes=1)
"""Time runs from when the rule was looked up; the premises are read before it is opened."""

WHO = ("groups", "training", "step_up", "escalate")
"""What of a rule says whose approvals count, and how many of them it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One person's word. `factor` is the kind of second factor that was shown for it; `trainings`
    are those of which they held a valid qualification for the action at that moment."""

    person: int
    decision: str
    at: datetime
    factor: str | None = None
    trainings: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A proposal version that was approved, rejected or expired, the rule that it was asked under,
    and what was heard of it, in this order."""

    proposal_id: uuid.UUID
    version: int
    headline: str
    agent: str
    action: str
    risk: str
    status: str
    opened_at: datetime
    valid_until: datetime
    closed_at: datetime
    rule: Rule
    heard: tuple[Heard, ...]

    def over(self, rule: Rule) -> datetime:
        """When its time would be over. Who had asked for less than the rule gave gets no more."""
        given = self.opened_at + _seconds(self.rule, "time_limit_seconds")
        would_be = self.opened_at + _seconds(rule, "time_limit_seconds")
        asked_for_less = self.valid_until < given - TO_OPEN
        return min(would_be, self.valid_until) if asked_for_less else would_be

    def fallback(self, rule: Rule, at: datetime) -> str | None:
        """The group that counts besides at that moment, if time had made it so."""
        asked = rule.get("escalate")
        if not asked or at < self.opened_at + timedelta(seconds=int(asked["after_seconds"])):
            return None
        return str(asked["to"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One of KINDS, and in words why."""

    kind: str
    why: str = ""


SAME = Verdict(kind="same")


def prefixes(case: Case, rule: Rule) -> tuple[Voices, ...]:
    """The people whose approvals count, one more in each: what `judge` has to know of the groups.
    Empty where the rule counts as the one before: then what was decided then is the answer."""
    if _counts_alike(case, rule):
        return ()
    counted = _counted(case, rule)
    people = [heard.person for heard in counted]
    said = ((place, case.fallback(rule, each.at)) for place, each in enumerate(counted, 1))
    return ((frozenset(), None), *((frozenset(people[:n]), fallback) for n, fallback in said))


def judge(case: Case, rule: Rule, lacks: Lacks) -> Verdict:
    """What it would have come to under this rule; `lacks` knows all `prefixes` of the case."""
    if words.asks(case.rule) == words.asks(rule):
        return SAME
    verdict = _judged(case, rule, lacks)
    return _escalated(case, rule) if verdict is SAME else verdict


def _escalated(case: Case, rule: Rule) -> Verdict:
    """It would have come to the same, and others would have been asked before."""
    group = case.fallback(rule, case.closed_at)
    if group is None or case.fallback(case.rule, case.closed_at) == group:
        return SAME
    told = {"group": group, "span": words.length(rule["escalate"]["after_seconds"])}
    why = _("Not decided within %(span)s: %(group)s would have counted, too.")
    return Verdict(kind="escalated", why=why % told)


def _judged(case: Case, rule: Rule, lacks: Lacks) -> Verdict:
    over = case.over(rule)
    ended, enough = _ended(case, rule), _enough(case, rule, lacks)
    if ended and ended <= over and (enough is None or ended < enough):
        return SAME if case.status == "rejected" else _ended_by_rejections(rule)
    if enough and (enough <= over or not ended):
        return _approved(case, rule, enough)
    return _late(case, rule, ended) if ended else _undecided(case, rule, lacks)


def _counts_alike(case: Case, rule: Rule) -> bool:
    return all(case.rule.get(field) == rule.get(field) for field in WHO)


def _counted(case: Case, rule: Rule) -> list[Heard]:
    demand, training = rule["step_up"], rule["training"]
    return [
        heard
        for heard in case.heard
        if heard.decision == "approve"
        and (demand == "none" or heard.factor in STEP_UPS[demand])
        and (training is None or training in heard.trainings)
    ]


def _enough(case: Case, rule: Rule, lacks: Lacks) -> datetime | None:
    """When the approvals that were given would have been enough."""
    if _counts_alike(case, rule):
        return case.closed_at if case.status == "approved" else None
    counted = _counted(case, rule)
    sufficient = (at for at, voices in enumerate(prefixes(case, rule)) if lacks[voices] is None)
    place = next(sufficient, None)
    return None if place is None else counted[place - 1].at


def _ended(case: Case, rule: Rule) -> datetime | None:
    """When so many had rejected that it would have ended."""
    rejected = [heard.at for heard in case.heard if heard.decision == "reject"]
    needed = int(rule["reject"])
    return rejected[needed - 1] if len(rejected) >= needed else None


def _approved(case: Case, rule: Rule, enough: datetime) -> Verdict:
    if _too_late(case, rule, enough) and not (
        case.status == "approved" and _too_late(case, case.rule, case.closed_at)
    ):
        return _late(case, rule, enough)
    if case.status != "approved":
        return Verdict(kind="approved", why=_("The approvals that were given would be enough."))
    if _seconds(rule, "wait_seconds") <= _seconds(case.rule, "wait_seconds"):
        return SAME
    spans = {"now": _span(rule, "wait_seconds"), "was": _span(case.rule, "wait_seconds")}
    return Verdict(kind="waits", why=_("To think: %(now)s rather than %(was)s.") % spans)


def _too_late(case: Case, rule: Rule, at: datetime) -> bool:
    """Whether its time would be over before what was approved then could be carried out."""
    return at + _seconds(rule, "wait_seconds") > case.over(rule)


def _late(case: Case, rule: Rule, at: datetime) -> Verdict:
    if case.status == "expired":
        return SAME
    spans = {
        "taken": words.length(int((at - case.opened_at).total_seconds())),
        "limit": _span(rule, "time_limit_seconds"),
        "wait": _span(rule, "wait_seconds"),
    }
    if int(rule["wait_seconds"]):
        why = _("Decided after %(taken)s, then %(wait)s to think; its time would be %(limit)s.")
    else:
        why = _("Decided after %(taken)s; its time would be %(limit)s.")
    return Verdict(kind="late", why=why % spans)


def _ended_by_rejections(rule: Rule) -> Verdict:
    count = int(rule["reject"])
    why = ngettext("One rejection would end it.", "%(count)d rejections would end it.", count)
    return Verdict(kind="ended", why=why % {"count": count})


def _undecided(case: Case, rule: Rule, lacks: Lacks) -> Verdict:
    if case.status == "approved":
        return Verdict(kind="more", why=_missing(case, rule, lacks))
    if case.status == "rejected":
        return Verdict(kind="open", why=_ended_by_rejections(rule).why)
    if case.over(rule) <= case.over(case.rule):
        return SAME
    limits = {
        "now": _span(rule, "time_limit_seconds"),
        "was": _span(case.rule, "time_limit_seconds"),
    }
    return Verdict(kind="open", why=_("Its time would be %(now)s rather than %(was)s.") % limits)


def _missing(case: Case, rule: Rule, lacks: Lacks) -> str:
    """Which approvals were too few, and where some did not count, how many."""
    short = lacks[prefixes(case, rule)[-1]]
    of = [_of(count, names) for count, names in short.of] if short else []
    why = _("Lacking: %(what)s.") % {"what": ", ".join(of)}
    given = sum(heard.decision == "approve" for heard in case.heard)
    uncounted = given - len(_counted(case, rule))
    if not uncounted:
        return why
    more = ngettext(
        "%(count)d approval would not count: it lacks what the rule demands of its giver.",
        "%(count)d approvals would not count: they lack what the rule demands of their givers.",
        uncounted,
    )
    return f"{why} {more % {'count': uncounted}}"


def _of(count: int, names: tuple[str, ...]) -> str:
    told = {"count": count, "group": _(" or ").join(names)}
    return _("%(count)d more of %(group)s") % told


def _seconds(rule: Rule, field: str) -> timedelta:
    return timedelta(seconds=int(rule[field]))


def _span(rule: Rule, field: str) -> str:
    return words.length(rule[field])
