"""What rules mean now: for which actions they hold, whether they can be met, and what would become
of what is open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from engine import actions, api, policies
from oversight.pages.policy import reads
from oversight.showing import rule

Rules = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A rule as it stands: its place, what it says, the labels of the actions that it holds for
    now, and what should make people careful."""

    place: int
    rule: Mapping[str, Any]
    actions: tuple[str, ...]
    cautions: tuple[str, ...]

    @property
    def every(self) -> bool:
        return bool(self.rule["action"] == "*")

    @property
    def time_limit(self) -> str:
        return rule.length(self.rule["time_limit_seconds"])

    @property
    def wait(self) -> str:
        """Empty where nothing has to be waited for."""
        return rule.length(self.rule["wait_seconds"]) if self.rule["wait_seconds"] else ""

    @property
    def remind(self) -> str:
        """Empty where nobody is reminded."""
        asked = self.rule.get("remind_seconds")
        return rule.length(asked) if asked else ""

    @property
    def escalates_after(self) -> str:
        """Empty where it never does."""
        asked = self.rule.get("escalate")
        return rule.length(asked["after_seconds"]) if asked else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """An action for which another rule would hold."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """What follows if rules are put in force: for actions, and for what is open or approved and
    not sent. `cautions` say what nobody could meet."""

    others: tuple[Other, ...]
    open: int
    open_of: int
    approved: int
    approved_of: int
    cautions: tuple[str, ...]


def held(rules: Rules) -> tuple[Held, ...]:
    members, beyond = reads.members(), api.beyond_reach(rules)
    labels = _labels(rules)
    return tuple(
        Held(
            place=place + 1,
            rule=each,
            actions=tuple(labels[place]),
            cautions=tuple(_cautions(each, members, beyond=place in beyond)),
        )
        for place, each in enumerate(rules)
    )


def _labels(rules: Rules) -> list[list[str]]:
    """The actions that each rule holds for, by its place."""
    found: list[list[str]] = [[] for _each in rules]
    for action in actions.registered():
        place = rules.index(policies.rule_for(rules, action.name, action.risk))
        found[place].append(action.label())
    return found


def _cautions(each: Mapping[str, Any], members: Mapping[str, int], *, beyond: bool) -> list[str]:
    """Groups with too few people; or enough in each, but not for all of them together."""
    found = [_too_few(quota, members) for quota in each["groups"] if _lacks(quota, members)]
    if asked := each.get("escalate"):
        found += _of_fallback(asked["to"], members, at_once=bool(found))
    if beyond and not found and each["step_up"] != "none":
        return [_without_a_factor(each["step_up"])]
    if beyond and not found and each["training"]:
        words = _("Too few of them are qualified by %(training)s for all that it is for.")
        return [words % {"training": each["training"]}]
    if beyond and not found:
        return [_("Too few people for its groups together: nobody counts for two of them.")]
    return found


def _of_fallback(group: str, members: Mapping[str, int], *, at_once: bool) -> list[str]:
    """Nobody is there to escalate to; or it is to them that it goes, from the first moment on."""
    somebody = {"name": group, "approve": 1}
    if _lacks(somebody, members):
        return [_too_few(somebody, members)]
    return [_("It escalates to %(group)s at once.") % {"group": group}] if at_once else []


def _without_a_factor(demand: str) -> str:
    if demand == "passkey":
        return _("Too few of its people have a passkey: nobody could approve.")
    return _("Too few of its people have a second factor: nobody could approve.")


def _lacks(quota: Mapping[str, Any], members: Mapping[str, int]) -> bool:
    return members.get(quota["name"], 0) < int(quota["approve"])


def _too_few(quota: Mapping[str, Any], members: Mapping[str, int]) -> str:
    count = members.get(quota["name"])
    if count is None:
        return _("There is no group %(group)s.") % {"group": quota["name"]}
    words = ngettext(
        "Only %(count)d active person is in %(group)s.",
        "Only %(count)d active people are in %(group)s.",
        count,
    )
    none = _("No active person is in %(group)s.")
    return (words if count else none) % {"count": count, "group": quota["name"]}


def consequence(before: Rules, after: Rules) -> Consequence:
    live = reads.live()
    return Consequence(
        others=_others(before, after),
        **_asked_otherwise(live, after),
        cautions=tuple(
            f"{rule.title(each.rule)}: {caution}"
            for each in held(after)
            for caution in each.cautions
        ),
    )


def _others(before: Rules, after: Rules) -> tuple[Other, ...]:
    pairs = (
        (
            action.label(),
            policies.rule_for(before, action.name, action.risk),
            policies.rule_for(after, action.name, action.risk),
        )
        for action in actions.registered()
    )
    return tuple(
        Other(label=label, before=rule.summary(was), after=rule.summary(now))
        for label, was, now in pairs
        if rule.asks(was) != rule.asks(now)
    )


def _asked_otherwise(live: Sequence[reads.Live], after: Rules) -> dict[str, int]:
    """How many of what is live were asked under another rule than the one that would hold: the
    whole rule is compared, as the doors do."""
    found = {"open": 0, "open_of": 0, "approved": 0, "approved_of": 0}
    for each in live:
        found[f"{each.status}_of"] += each.count
        if policies.rule_for(after, each.action, each.risk) != each.rule:
            found[each.status] += each.count
    return found
