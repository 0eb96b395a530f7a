"""What administrators say of the policy: two of them, one after the other."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine import policies
from engine.canonical import packed, packed_text
from engine.store import policies as doors

from .reasons import said
from .who import Reviewer

Quotas = Sequence[Mapping[str, Any]]
"""The groups of a rule, and how many of each have to approve."""


def propose_policy(rules: Any, *, administrator: Reviewer, reason: str) -> int:
    """Propose rules (see `engine.policies.Rule`); gives the version. It changes nothing yet.

    Raises BadInput with the path of what is wrong with the rules; NotPermitted.
    """
    facts = {**said(administrator, reason), "rules": policies.checked(rules)}
    return doors.propose_policy(administrator.actor, packed(facts))


def put_policy_in_force(
    version: int, *, administrator: Reviewer, reason: str, instead_of: int | None = None
) -> None:
    """Put a proposed policy in force, as somebody else than who proposed it.

    `instead_of` is the version that it was compared with, if it was: no other one is retired.
    Approvals given under a rule that is no longer the same lapse. Raises BadInput, NotFound,
    NotPermitted, NobodyCouldDecide, Conflict.
    """
    facts = {"version": version, "instead_of": instead_of, **said(administrator, reason)}
    doors.put_policy_in_force(administrator.actor, packed(facts))


def drop_policy(version: int, *, administrator: Reviewer, reason: str) -> None:
    """Drop a proposed policy. Raises BadInput, NotFound, NotPermitted, Conflict."""
    doors.drop_policy(
        administrator.actor, packed({"version": version, **said(administrator, reason)})
    )


def beyond_reach(rules: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """The places of the rules that nobody could meet with the people that there are now."""
    return tuple(doors.beyond_reach(packed_text([dict(rule) for rule in rules])))


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """So many more approvals are needed, at the least. `of` says how many from which groups: any
    one of the names that stand together."""

    count: int
    of: tuple[tuple[int, tuple[str, ...]], ...]


def short_of(
    asked: Sequence[tuple[Quotas, Collection[int], str | None]],
) -> tuple[Short | None, ...]:
    """What approvals of these people (ids) lack by the groups of a rule; None where they suffice.

    Counted as a decision is, with the groups that people are in now. The third is the group whose
    members count for any of the others, where it has escalated.
    """
    facts = [
        {"groups": list(groups), "people": sorted(people), "fallback": fallback}
        for groups, people, fallback in asked
    ]
    return tuple(_short(found) for found in doors.short_of(packed_text(facts)))


def _short(lacking: Sequence[Mapping[str, Any]]) -> Short | None:
    if not lacking:
        return None
    told = [(each["count"], tuple(each["names"])) for each in lacking]
    alone = [each for each in told if len(each[1]) == 1]
    each_for_itself = sum(count for count, _ in alone) == told[0][0]
    return Short(count=told[0][0], of=tuple(sorted(alone) if each_for_itself else told[:1]))
