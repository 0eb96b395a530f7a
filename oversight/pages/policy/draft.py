"""Rules while somebody writes them: a form for each, added, moved and removed by its buttons.

All of it is in what is posted, so it works in any browser and nothing is kept on the server.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import BadRequest
from django.http import QueryDict

from engine import policies
from engine.errors import BadInput
from oversight.pages.policy.forms import RuleForm, written

Rules = Sequence[Mapping[str, Any]]
Raw = dict[str, Any]

NEW: Raw = {
    "risk": "any",
    "reject": 1,
    "blind": True,
    "time_limit": policies.DAY,
    "wait": 0,
    "step_up": "none",
}
LAST: Raw = {"action": "*", "risk": "any"}
"""What the last rule is for: everything that no rule before it fits."""

_FIELD = re.compile(r"rule-(\d{1,3})-(\w+)", re.ASCII)
_EDIT = re.compile(r"(up|down|remove)-(\d{1,3})", re.ASCII)
_PLACE = re.compile(r"\$\.rules\[(\d+)\](.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The forms of the rules, in their order; the last one is for everything else."""

    forms: tuple[RuleForm, ...]

    def checked(self) -> Rules | None:
        """The rules as they would be stored; None where something is wrong, which its form then
        says at its place."""
        if not self.forms or not all(form.is_valid() for form in self.forms):
            return None
        try:
            return policies.checked([form.asked for form in self.forms])
        except BadInput as problem:
            place = _PLACE.fullmatch(problem.path)
            number, inside = (int(place[1]), place[2]) if place else (-1, "")
            self.forms[number].complain(inside, problem.message)
            return None


def of(rules: Rules, groups: Iterable[str]) -> Draft:
    """The rules as they are."""
    return _shown([written(each) for each in rules], groups)


def posted(data: QueryDict, groups: Iterable[str]) -> Draft:
    """What was posted, to be checked. Raises BadRequest for what this form never posts."""
    forms = (
        RuleForm(
            {f"rule-{n}-{field}": value for field, value in each.items()},
            groups=groups,
            prefix=f"rule-{n}",
        )
        for n, each in enumerate(_raw(data))
    )
    return Draft(forms=tuple(forms))


def edited(data: QueryDict, groups: Iterable[str], do: str) -> Draft:
    """The same with one rule more, fewer or elsewhere; nothing is checked yet."""
    raw = _raw(data)
    if do == "add" and len(raw) < policies.MOST_RULES:
        raw.insert(0, dict(NEW))
    elif found := _EDIT.fullmatch(do):
        _edit(raw, found[1], int(found[2]))
    return _shown(raw, groups)


def _edit(raw: list[Raw], do: str, place: int) -> None:
    """The last rule stays the last, whatever is asked."""
    movable = len(raw) - 1
    if not 0 <= place < movable:
        return
    each = raw.pop(place)
    if do != "remove":
        to = place - 1 if do == "up" else place + 1
        raw.insert(min(max(to, 0), movable - 1), each)


def _shown(raw: Sequence[Raw], groups: Iterable[str]) -> Draft:
    forms = (
        RuleForm(groups=groups, initial=each, prefix=f"rule-{n}") for n, each in enumerate(raw)
    )
    return Draft(forms=tuple(forms))


def _raw(data: QueryDict) -> list[Raw]:
    """What is typed into each rule. The last one is for everything, whatever was posted."""
    rules: dict[int, Raw] = {}
    for name in data:
        if found := _FIELD.fullmatch(name):
            if len(data.getlist(name)) > 1:
                raise BadRequest(f"The field {name!r} is there more than once.")
            rules.setdefault(int(found[1]), {})[found[2]] = data[name]
    raw = [rules[number] for number in sorted(rules)]
    if len(raw) > policies.MOST_RULES:
        raise BadRequest("These are too many rules.")
    return [*raw[:-1], {**raw[-1], **LAST}] if raw else []
