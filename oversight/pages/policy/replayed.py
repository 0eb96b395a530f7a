"""What was decided of late, replayed under other rules: how many would come to something else, by
action, and which."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from engine import api, policies
from oversight.pages.policy import decided
from oversight.pages.policy.replay import KINDS, Case, Lacks, Verdict, Voices, judge, prefixes
from oversight.showing import rule

SHOWN = 50
"""How many of those that differ a page lists: the newest."""

Rules = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """So many of an action come to the same thing."""

    kind: str
    count: int

    @property
    def word(self) -> str | Promise:
        return KINDS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An action at its risk, the place (from 1) and title of the rule that would hold for it, and
    what its proposals would come to."""

    action: str
    risk: str
    place: int
    title: str
    parts: tuple[Part, ...]

    @property
    def total(self) -> int:
        return sum(part.count for part in self.parts)

    @property
    def bar(self) -> SafeString:
        """Its parts side by side; the words beside it say the same."""
        return _bar(self.parts, self.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """One proposal that would come to something else."""

    case: Case
    verdict: Verdict
    place: int

    @property
    def word(self) -> str | Promise:
        return KINDS[self.verdict.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """`differing` are the newest of those that differ; `more`: older ones were not looked at."""

    looked: int
    days: int
    more: bool
    rows: tuple[Row, ...]
    differ: int
    differing: tuple[Differing, ...]


Held = tuple[int, Mapping[str, Any]]


def of(rules: Rules, *, shown: int = SHOWN) -> Replay:
    """The last days under these rules, with the groups that people are in now."""
    found = decided.found({each["training"] for each in rules if each["training"]})
    holding = _holding(rules, found.cases)
    lacking = _lacking(found.cases, holding)
    judged = [_judged(case, *holding[case.action, case.risk], lacking) for case in found.cases]
    differing = [each for each in judged if each.verdict.kind != "same"]
    return Replay(
        looked=len(judged),
        days=decided.DAYS,
        more=found.more,
        rows=tuple(_rows(judged, holding)),
        differ=len(differing),
        differing=tuple(differing[:shown]),
    )


def _holding(rules: Rules, cases: Sequence[Case]) -> dict[tuple[str, str], Held]:
    """The place and the rule for each action and risk that is among them."""
    found = {}
    for action, risk in sorted({(case.action, case.risk) for case in cases}):
        holds = policies.rule_for(rules, action, risk)
        found[action, risk] = rules.index(holds) + 1, holds
    return found


def _lacking(cases: Sequence[Case], holding: Mapping[tuple[str, str], Held]) -> Mapping[int, Lacks]:
    """What approvals lack, by the place of the rule; every set of people is asked about once."""
    wanted: dict[tuple[int, Voices], Any] = {}
    for case in cases:
        place, holds = holding[case.action, case.risk]
        wanted |= {(place, voices): holds["groups"] for voices in prefixes(case, holds)}
    told = api.short_of([(groups, *voices) for (_, voices), groups in wanted.items()])
    lacking: dict[int, dict[Voices, api.Short | None]] = {}
    for (place, voices), short in zip(wanted, told, strict=True):
        lacking.setdefault(place, {})[voices] = short
    return lacking


def _judged(
    case: Case, place: int, holds: Mapping[str, Any], lacking: Mapping[int, Lacks]
) -> Differing:
    return Differing(case=case, place=place, verdict=judge(case, holds, lacking.get(place, {})))


def _rows(judged: Sequence[Differing], holding: Mapping[tuple[str, str], Held]) -> list[Row]:
    counts = Counter((each.case.action, each.case.risk, each.verdict.kind) for each in judged)
    return [
        Row(
            action=action,
            risk=risk,
            place=place,
            title=rule.title(holds),
            parts=tuple(
                Part(kind=kind, count=counts[action, risk, kind])
                for kind in KINDS
                if counts[action, risk, kind]
            ),
        )
        for (action, risk), (place, holds) in holding.items()
    ]


def _bar(parts: Sequence[Part], total: int) -> SafeString:
    begins = [sum(part.count for part in parts[:place]) for place in range(len(parts))]
    rects = ((part.kind, begin, part.count) for part, begin in zip(parts, begins, strict=True))
    return format_html(
        '<svg class="replay__bar" viewBox="0 0 {} 1" preserveAspectRatio="none"'
        ' aria-hidden="true" focusable="false">{}</svg>',
        total,
        format_html_join(
            "", '<rect class="replay__part--{}" x="{}" width="{}" height="1"/>', rects
        ),
    )
