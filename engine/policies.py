"""A policy on paper: which rule holds for an action of a risk, and whether a document of rules is
one that can be put in force.

The rules are tried in order and the first that fits holds; the last one fits everything.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from .errors import BadInput
from .strict import Strict, path, refusal

MOST_GROUPS = 5
MOST_RULES = 200
MOST_PEOPLE = 20
DAY = 24 * 3600
SHORTEST_LIMIT, LONGEST_LIMIT, LONGEST_WAIT = 60, 90 * DAY, 30 * DAY


ActionPattern = Annotated[str, Field(pattern=r"^(\*|[a-z0-9_.-]+(\.\*)?)$", max_length=200)]
"""A name, a name's beginning with `.*`, or `*`."""

Training = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=100)]
"""A training with its version: refunds-2."""


class Quota(Strict):
    """So many members of this group have to approve."""

    name: Annotated[str, Field(min_length=1, max_length=150)]
    approve: Annotated[int, Field(ge=1, le=MOST_PEOPLE)]


class Escalation(Strict):
    """After so long without a decision, members of this group count for those that are asked."""

    after_seconds: Annotated[int, Field(ge=SHORTEST_LIMIT, le=LONGEST_LIMIT)]
    to: Annotated[str, Field(min_length=1, max_length=150)]


class Rule(Strict):
    """What it takes to let one effect be done.

    `action` is a name, a name's beginning with `.*`, or `*`; `groups` say who decides, and how many
    of each have to approve: nobody counts for two of them. `reject` is how many rejections end it.
    Times are seconds: `time_limit_seconds` to decide and to carry out, `wait_seconds` between the
    last approval and the act. `fresh_rehearsal`: only while the rollback's last rehearsal counts.
    `blind`: nobody sees another's word before giving their own. `challenge`: the operative value
    is typed where the action asks for it (`declared`), or whenever there is one (`always`).
    `step_up`: who approves has just shown a second factor (any, or a `passkey`), for this alone.
    `training`: only who holds a valid qualification of it for the action decides.
    `remind_seconds`: after so long people are reminded of what nobody has decided; `escalate`: to
    whom it goes then, too, and at once where its groups have too few people.
    """

    action: ActionPattern
    risk: Literal["any", "low", "medium", "high"] = "any"
    groups: Annotated[list[Quota], Field(min_length=1, max_length=MOST_GROUPS)]
    reject: Annotated[int, Field(ge=1, le=MOST_PEOPLE)] = 1
    time_limit_seconds: Annotated[int, Field(ge=SHORTEST_LIMIT, le=LONGEST_LIMIT)] = DAY
    wait_seconds: Annotated[int, Field(ge=0, le=LONGEST_WAIT)] = 0
    fresh_rehearsal: bool = False
    blind: bool = True
    challenge: Literal["declared", "always"] = "declared"
    step_up: Literal["none", "second_factor", "passkey"] = "none"
    training: Training | None = None
    remind_seconds: Annotated[int, Field(ge=SHORTEST_LIMIT, le=LONGEST_LIMIT)] | None = None
    escalate: Escalation | None = None

    def fits(self, action: str, risk: str) -> bool:
        return stands_for(self.action, action) and self.risk in ("any", risk)


def stands_for(pattern: str, action: str) -> bool:
    """Whether a pattern (see `ActionPattern`) stands for this action."""
    return pattern in ("*", action) or (pattern.endswith(".*") and action.startswith(pattern[:-1]))


_ROOT = "$.rules"
_Rules = TypeAdapter(Annotated[list[Rule], Field(min_length=1, max_length=MOST_RULES)])


def checked(document: Any) -> list[dict[str, Any]]:
    """The rules as they are stored, with every default written out. Raises BadInput with the path
    of what is wrong with them."""
    try:
        rules = _Rules.validate_python(document)
    except ValidationError as problem:
        raise refusal(problem, _ROOT) from problem
    _must_be_a_policy(rules)
    return [rule.model_dump(mode="json") for rule in rules]


def _path(places: Iterable[int | str]) -> str:
    return path(places, _ROOT)


def _must_be_a_policy(rules: Sequence[Rule]) -> None:
    """Every action finds a rule, and every rule can be found."""
    last = rules[-1]
    if (last.action, last.risk) != ("*", "any"):
        raise BadInput(
            "The last rule is for every action: * and any.", path=_path([len(rules) - 1])
        )
    for place, rule in enumerate(rules):
        names = [quota.name for quota in rule.groups]
        if len(set(names)) < len(names):
            raise BadInput("A group is named once.", path=_path([place, "groups"]))
        if any(_covers(earlier, rule) for earlier in rules[:place]):
            raise BadInput("A rule before it fits all that this one fits.", path=_path([place]))
        if rule.wait_seconds >= rule.time_limit_seconds:
            raise BadInput("It waits until its time is over.", path=_path([place, "wait_seconds"]))
        _must_go_on_in_time(rule, place)


def _must_go_on_in_time(rule: Rule, place: int) -> None:
    """Whoever is reminded, or asked besides, can still let it be done; and they are others."""
    left = rule.time_limit_seconds - rule.wait_seconds
    if rule.remind_seconds is not None and rule.remind_seconds >= left:
        raise BadInput(
            "It reminds when it is too late to approve.", path=_path([place, "remind_seconds"])
        )
    if rule.escalate is None:
        return
    if rule.escalate.after_seconds >= left:
        where = _path([place, "escalate", "after_seconds"])
        raise BadInput("It escalates when it is too late to approve.", path=where)
    if rule.escalate.to in {quota.name for quota in rule.groups}:
        raise BadInput(
            "It escalates to a group that is asked already.", path=_path([place, "escalate", "to"])
        )


def _covers(wide: Rule, narrow: Rule) -> bool:
    """Whatever the narrow one fits, the wide one does."""
    named = wide.action in ("*", narrow.action) or (
        wide.action.endswith(".*") and narrow.action.removesuffix("*").startswith(wide.action[:-1])
    )
    return named and wide.risk in ("any", narrow.risk)


def rule_for(rules: Sequence[Mapping[str, Any]], action: str, risk: str) -> Mapping[str, Any]:
    """The rule that holds; the same choice as the database's."""
    return next(rule for rule in rules if Rule.model_validate(rule).fits(action, risk))
